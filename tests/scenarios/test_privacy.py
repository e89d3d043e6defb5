"""What evidence does not tell of the machine that made it."""

from __future__ import annotations

import getpass
import platform
from pathlib import Path

from ascend_doctor.harness.scenarios import privacy


def test_folders_and_names_of_the_machine_are_hidden_and_words_are_not(monkeypatch, tmp_path):
    monkeypatch.setattr(platform, "node", lambda: "npu-07.lab.example")
    monkeypatch.setattr(getpass, "getuser", lambda: "kimlee")
    monkeypatch.setattr(Path, "home", lambda: Path("/data/people/kimlee"))
    monkeypatch.chdir(tmp_path)
    hidden = privacy.of_this_machine(Path("data"), Path("/opt/doctor"))
    said = (
        f"{tmp_path}/data/f1/broken/program.py data loss /opt/doctor/x.py "
        "/data/people/kimlee/.cache kimlee npu-07 npu-07.lab.example npu-070 kimlees"
    )
    assert hidden.text(said) == (
        "/runs/f1/broken/program.py data loss /package/x.py "
        "/home/user/.cache user host-1 host-2 npu-070 kimlees"
    )


def test_a_machine_with_an_ordinary_name_takes_no_words_away(monkeypatch):
    monkeypatch.setattr(platform, "node", lambda: "train")
    monkeypatch.setattr(getpass, "getuser", lambda: "root")
    hidden = privacy.of_this_machine(Path("/out"), Path("/opt/doctor"))
    assert hidden.text("train root /out/f1") == "train root /runs/f1"


def test_a_file_that_was_not_written_stays_away(tmp_path):
    privacy.Hidden([("/srv/x", "/runs")], []).file(tmp_path / "none")
    assert not [*tmp_path.iterdir()]
