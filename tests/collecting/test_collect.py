"""A collection holds what is needed to judge a machine elsewhere, and no more."""

from __future__ import annotations

import gzip
import json
import os
import tarfile
from pathlib import Path

import pytest

from ascend_doctor.api import analyze
from ascend_doctor.collecting.collect import collect
from ascend_doctor.collecting.examine import examine
from ascend_doctor.errors import InputError, ResultError
from ascend_doctor.knowledge import index
from ascend_doctor.machine.gather.machine import gather
from ascend_doctor.machine.stored import as_dict, of_dict
from ascend_doctor.reporters import json as reporter
from ascend_doctor.reporters.json import document
from ascend_doctor.reporters.redaction import Pseudonyms, mapped
from tests.machine.broken import MACHINES
from tests.machine.sites import CANN, Site, healthy

KNOWN = index.load()
PLOG = "[ERROR] RUNTIME(71,python):2026-03-01-10:00:0{n}.000.001 [a.cc:1]71 line {n} of zoe@gpu-7\n"


def site_with_logs(root: Path) -> Site:
    site = healthy(root)
    site.environ["ASCEND_OUR_PASSWORD"] = "s3cr3t"
    site.environ["HUGGING_FACE_TOKEN"] = "hf_0123456789abcdefghij"
    for number in range(3):
        path = f"/root/ascend/log/debug/plog/plog-71_{number}.log"
        site.file(path, PLOG.format(n=number))
        os.utime(root / path[1:], (1000 + number, 1000 + number))
    return site


def taken(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as archive:
        members = archive.getmembers()
        return {m.name: (archive.extractfile(m) or gzip.open("")).read() for m in members}


@pytest.mark.parametrize("name", MACHINES)
def test_what_was_collected_is_judged_as_the_machine_itself(tmp_path, name):
    site = MACHINES[name](tmp_path / "root")
    target = tmp_path / "c.tar.gz"
    collect(target, site.sources(), KNOWN, most=1 << 20)
    direct = examine(sources=site.sources())
    assert examine(target) == direct
    with tarfile.open(target) as archive:
        archive.extractall(tmp_path / "out", filter="data")
    assert examine(tmp_path / "out") == direct
    assert examine(tmp_path / "out/ascend-env") == direct


def test_a_root_is_judged_by_its_files(tmp_path):
    site = MACHINES["cann_older"](tmp_path)
    site.file("/environ", "".join(f"{k}={v}\n" for k, v in site.environ.items()))
    report = examine(tmp_path)
    assert [d.rule for d in report.diagnoses] == ["not-found-setup-cann-older"]
    assert (report.machine.python.version, report.machine.python.prefix) == ("3.11", "/venv")


def test_a_result_is_judged_again(tmp_path):
    report = examine(sources=MACHINES["two_canns"](tmp_path / "root").sources())
    (tmp_path / "r.json").write_text(reporter.render(report), encoding="utf-8")
    assert examine(tmp_path / "r.json") == report


def test_members_stand_in_order_and_the_same_is_the_same_file(tmp_path):
    site = site_with_logs(tmp_path / "root")
    for name in ("a.tar.gz", "b.tar.gz"):
        collect(tmp_path / name, site.sources(), KNOWN, most=1 << 20)
    assert (tmp_path / "a.tar.gz").read_bytes() == (tmp_path / "b.tar.gz").read_bytes()
    assert [*taken(tmp_path / "a.tar.gz")] == [
        "ascend-env/environment.json",
        "ascend-env/listing.txt",
        "ascend-env/log/debug/plog/plog-71_0.log",
        "ascend-env/log/debug/plog/plog-71_1.log",
        "ascend-env/log/debug/plog/plog-71_2.log",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar.gz", "b.tar.gz", "root"]


def test_the_newest_logs_come_first_and_the_last_one_is_cut_at_a_line(tmp_path):
    site = site_with_logs(tmp_path / "root")
    size = len(PLOG.format(n=0))
    site.file("/root/ascend/log/debug/plog/plog-71_1.log", PLOG.format(n=8) + PLOG.format(n=9))
    os.utime(tmp_path / "root/root/ascend/log/debug/plog/plog-71_1.log", (1001, 1001))
    found = collect(tmp_path / "c.tar.gz", site.sources(), KNOWN, most=2 * size + size // 2)
    members = taken(tmp_path / "c.tar.gz")
    assert [name for name in members if "/log/" in name] == [
        "ascend-env/log/debug/plog/plog-71_1.log",
        "ascend-env/log/debug/plog/plog-71_2.log",
    ]
    assert members["ascend-env/log/debug/plog/plog-71_1.log"] == PLOG.format(n=9).encode()
    assert (found.logs.left_out, found.logs.left_bytes) == (1, size + size - size // 2)


@pytest.mark.parametrize("redact", [False, True])
def test_values_of_other_variables_are_never_taken(tmp_path, redact):
    site = site_with_logs(tmp_path / "root")
    collect(tmp_path / "c.tar.gz", site.sources(), KNOWN, most=1 << 20, redact=redact)
    whole = b"".join(taken(tmp_path / "c.tar.gz").values())
    assert b"s3cr3t" not in whole
    assert b"hf_0123456789" not in whole
    machine = json.loads(taken(tmp_path / "c.tar.gz")["ascend-env/environment.json"])["machine"]
    names = {item["name"] for item in machine["variables"]}
    assert "ASCEND_OUR_PASSWORD" in names
    assert "HUGGING_FACE_TOKEN" not in names


def test_redaction_hides_who_and_where_in_logs_and_state(tmp_path):
    site = site_with_logs(tmp_path / "root")
    site.environ |= {"HOME": "/root", "HCCL_IF_IP": "10.1.2.3", "PYTHONPATH": "/home/zoe/lib"}
    collect(tmp_path / "c.tar.gz", site.sources(), KNOWN, most=1 << 20, redact=True)
    whole = b"".join(taken(tmp_path / "c.tar.gz").values())
    assert not any(word in whole for word in (b"zoe", b"gpu-7", b"10.1.2.3"))
    assert b"user-1@host-1" in whole
    # What is judged stays.
    machine = examine(tmp_path / "c.tar.gz").machine
    assert (machine.driver.version, machine.cann[0].version) == ("25.3.rc1", "8.3.RC1")
    assert machine.firmware.value == "7.8.0.2.212"


def test_a_file_that_is_there_is_kept_unless_it_may_go(tmp_path):
    site = healthy(tmp_path / "root")
    target = tmp_path / "c.tar.gz"
    target.write_text("mine")
    with pytest.raises(InputError, match="exists already; name another file, or add --force"):
        collect(target, site.sources(), KNOWN, most=0)
    assert target.read_text() == "mine"
    collect(target, site.sources(), KNOWN, most=0, force=True)
    assert [*taken(target)] == ["ascend-env/environment.json", "ascend-env/listing.txt"]
    with pytest.raises(InputError, match="cannot be written: no such file or directory"):
        collect(tmp_path / "no/c.tar.gz", site.sources(), KNOWN, most=0)


def test_what_is_no_file_is_never_replaced_and_links_are_followed(tmp_path):
    site = healthy(tmp_path / "root")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name in ("pipe", "link"):
        with pytest.raises(InputError, match="not a regular file"):
            collect(tmp_path / name, site.sources(), KNOWN, most=0, force=True)
    assert (tmp_path / "pipe").is_fifo()
    (tmp_path / "c.tar.gz").write_text("old")
    (tmp_path / "latest").symlink_to("c.tar.gz")
    collect(tmp_path / "latest", site.sources(), KNOWN, most=0, force=True)
    assert (tmp_path / "latest").is_symlink()
    assert len(taken(tmp_path / "c.tar.gz")) == 2


def test_a_collection_that_is_cut_off_is_told(tmp_path):
    collect(tmp_path / "c.tar.gz", healthy(tmp_path / "root").sources(), KNOWN, most=0)
    data, whole = (tmp_path / "c.tar.gz").read_bytes(), examine(tmp_path / "c.tar.gz")
    told = []
    for size in range(len(data) // 9, len(data), len(data) // 9):
        (tmp_path / "cut.tar.gz").write_bytes(data[:size])
        try:
            assert examine(tmp_path / "cut.tar.gz") == whole  # the document was all there
        except InputError as err:
            told.append(str(err))
    assert f"{tmp_path}/cut.tar.gz: cannot be read: the gzip stream ends early" in told


def test_the_listing_shows_links_and_devices(tmp_path):
    site = MACHINES["latest_is_older"](tmp_path / "root")
    collect(tmp_path / "c.tar.gz", site.sources(), KNOWN, most=0)
    lines = taken(tmp_path / "c.tar.gz")["ascend-env/listing.txt"].decode().splitlines()
    assert any(line.endswith(" /usr/local/Ascend/ascend-toolkit/latest -> 8.0.0") for line in lines)
    assert lines[0] == "# ascend-doctor listing: mode, user:group, size, path"
    assert lines[1].endswith(" /dev/davinci0")
    assert all(line.count("/") <= 6 for line in lines)


@pytest.mark.parametrize("content", [b"", b"a log\n", b'{"schema_version": "1.3"}', b"PK\x03\x04"])
def test_what_tells_of_no_machine_is_refused(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(InputError, match="tells of no machine"):
        examine(tmp_path / "x")


def test_a_damaged_document_is_told(tmp_path):
    document = (
        '{"schema_version": "1.3", "tool": {"name": "ascend-doctor"}, "machine": {"cann": 3}}'
    )
    (tmp_path / "environment.json").write_text(document)
    with pytest.raises(ResultError) as caught:
        examine(tmp_path)
    assert str(caught.value) == "environment.json: machine.cann: must be a list"


LOG = f"""\
Traceback (most recent call last):
  File "/srv/train.py", line 2, in <module>
    import torch_npu
ImportError: /venv/lib/libtorch_npu.so: undefined symbol: aclrtGetFunctionAddr
{PLOG.format(n=1)}"""


@pytest.mark.parametrize("name", ["cann_older", "cann_older_lacks_a_symbol", "two_canns"])
@pytest.mark.parametrize("packed", [True, False])
def test_a_job_and_its_machine_have_one_root_cause(tmp_path, name, packed):
    site = MACHINES[name](tmp_path / "root")
    (tmp_path / "train.log").write_text(LOG)
    if packed:
        extra = tmp_path / "c.tar.gz"
        collect(extra, site.sources(), KNOWN, most=1 << 20)
    else:
        extra = tmp_path / "env.json"
        extra.write_text(reporter.render(examine(sources=site.sources())), encoding="utf-8")
    report = analyze([tmp_path / "train.log", extra])
    first = report.diagnoses[0]
    wanted = {
        "cann_older": "not-found-setup-cann-older",
        "cann_older_lacks_a_symbol": "not-found-setup-symbol-cann",
        "two_canns": "not-found-setup-two-canns",
    }
    assert first.rule == wanted[name]
    assert "not-found-symbol-cann-older" in {item.rule for item in first.consequences}
    assert report.environment["torch_npu"] == "2.6.0.post3"
    assert [d.rule for d in report.diagnoses] == [wanted[name]]


def test_a_healthy_machine_changes_no_diagnosis(tmp_path):
    site = healthy(tmp_path / "root")
    (tmp_path / "train.log").write_text(LOG)
    collect(tmp_path / "c.tar.gz", site.sources(), KNOWN, most=0)
    alone = analyze(tmp_path / "train.log")
    both = analyze([tmp_path / "train.log", tmp_path / "c.tar.gz"])
    assert [d.rule for d in both.diagnoses] == [d.rule for d in alone.diagnoses]
    assert both.environment["cann"] == "8.3.RC1"
    assert both.diagnoses[0].captures["cann"] == "8.3.RC1"
    assert CANN in both.environment["ASCEND_HOME_PATH"]


def test_what_a_job_failed_of_comes_before_what_is_merely_wrong(tmp_path):
    site = MACHINES["set_env_not_sourced"](tmp_path / "root")
    (tmp_path / "z.log").write_text(
        "Traceback (most recent call last):\n"
        '  File "/srv/train.py", line 9, in <module>\n'
        "    main(config['steps'])\n"
        "KeyError: 'steps'\n"
    )
    collect(tmp_path / "a.tar.gz", site.sources(), KNOWN, most=0)
    report = analyze([tmp_path / "z.log", tmp_path / "a.tar.gz"])
    assert [d.rule for d in report.diagnoses if d.severity.label != "info"] == [
        "framework-error-python-exception",
        "not-found-setup-not-sourced",
    ]


def test_the_machines_of_two_nodes_are_told_together(tmp_path):
    for name in ("one", "two"):
        site = MACHINES["shared_memory_of_docker"](tmp_path / name)
        collect(tmp_path / f"{name}.tar.gz", site.sources(), KNOWN, most=0)
    report = analyze([tmp_path / "one.tar.gz", tmp_path / "two.tar.gz"])
    [found] = report.diagnoses
    assert (found.rule, found.count) == ("host-resource-setup-shared-memory", 2)
    assert [proof.path for proof in found.evidence] == [
        f"{tmp_path}/{name}.tar.gz!ascend-env/environment.json!/proc/mounts"
        for name in ("one", "two")
    ]


def test_no_field_of_a_machine_keeps_a_secret(tmp_path):
    secret = "ghp_0123456789abcdefABCDEF0123456789abcd"
    told = as_dict(gather(healthy(tmp_path).sources()))

    def spread(value):
        if isinstance(value, dict):
            return {key: spread(item) for key, item in value.items()}
        if isinstance(value, list):
            return [spread(item) for item in value]
        return f"{value} {secret}" if isinstance(value, str) else value

    machine = of_dict(spread(told), "m.json")
    names = Pseudonyms()
    mapped(machine, names.learn)
    assert secret not in document(mapped(machine, names.hide))


def test_other_faults_of_a_machine_stand_beside_the_logs(tmp_path):
    site = MACHINES["shared_memory_of_docker"](tmp_path / "root")
    site.environ["ASCEND_GRAPH_DUMP"] = "1"
    (tmp_path / "train.log").write_text(LOG)
    collect(tmp_path / "c.tar.gz", site.sources(), KNOWN, most=0)
    report = analyze([tmp_path / "train.log", tmp_path / "c.tar.gz"])
    assert [(d.rule, d.consequences) for d in report.diagnoses[1:]] == [
        ("host-resource-setup-shared-memory", ()),
        ("invalid-param-setup-variable-misspelt", ()),
    ]
    path = f"{tmp_path}/c.tar.gz!ascend-env/environment.json!/proc/mounts"
    assert report.diagnoses[1].evidence[0].path == path
