"""Files of settings: which one is in force, and on which line a key of it stands."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.cli.config_file import found, read
from ascend_doctor.errors import SettingError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DOCUMENT = '''\
# c
fail-on = "error"  # [x]
select = [
  "a", # ]
  'b',
]
"quoted key" = """
[not.a.table]
x = 1
"""
a.b.c = 1.5

[[suppress]]
rule = "x\\" # no comment"
reason = \'\'\'a
[b]\'\'\'
[[suppress]]
expires = 2026-01-01
inline = { a = 1, b = [1, {c = 2}] }
[ other . "x.y" ]
z = 3'''

LINES = {
    ("fail-on",): 2,
    ("select",): 3,
    ("quoted key",): 7,
    ("a",): 11,
    ("a", "b"): 11,
    ("a", "b", "c"): 11,
    ("suppress",): 13,
    ("suppress", 0): 13,
    ("suppress", 0, "rule"): 14,
    ("suppress", 0, "reason"): 15,
    ("suppress", 1): 17,
    ("suppress", 1, "expires"): 18,
    ("suppress", 1, "inline"): 19,
    ("other", "x.y"): 20,
    ("other", "x.y", "z"): 21,
}


def test_each_key_has_its_line(tmp_path):
    path = tmp_path / "ascend-doctor.toml"
    path.write_text(DOCUMENT, encoding="utf-8")
    assert read(path).lines == LINES


def test_in_a_project_only_the_own_table_counts(tmp_path):
    path = tmp_path / "pyproject.toml"
    lines = DOCUMENT.replace("[[suppress", "[[tool.ascend-doctor.suppress").splitlines()
    own = "\n".join(lines[1:19])
    path.write_text(f'[project]\nname = "x"\n[tool."ascend-doctor"]\n{own}\n', encoding="utf-8")
    config = read(path)
    assert config.values == {
        name: value for name, value in tomllib.loads(DOCUMENT).items() if name != "other"
    }
    assert (config.where("fail-on"), config.where("suppress", 1, "expires")) == (
        f"{path}:4",
        f"{path}:20",
    )
    assert config.where("project") == str(path)


_keys = st.sampled_from(["a", "b-c", "d_e", '"f g"', "'h'", '"[i]"'])
_values = st.sampled_from(
    [
        "1",
        "1.5",
        "true",
        '"x"',
        "'y'",
        '"""a\n# b\n[c]\n"""',
        "[1,\n2, # ]\n]",
        "2026-01-01",
        '"\\""',
    ]
)


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[tuple[object, ...], int]]:
    """Return a document and the line of each key in it, told while it is written."""
    text, lines = "", {}

    def keys(table: tuple[object, ...]) -> None:
        nonlocal text
        for key in draw(st.lists(_keys, unique=True, max_size=4)):
            text += draw(st.sampled_from(["", "\n", "# [x]\n", "  "]))
            lines[(*table, key.strip("\"'"))] = text.count("\n") + 1
            text += f"{key}{draw(st.sampled_from([' = ', '=']))}{draw(_values)}\n"

    keys(())
    for number in range(draw(st.integers(0, 3))):
        lines.setdefault(("t",), text.count("\n") + 1)
        lines["t", number] = text.count("\n") + 1
        text += "[[t]]\n"
        keys(("t", number))
    return text, lines


@settings(max_examples=150, deadline=None)
@given(documents())
def test_each_key_of_any_document_has_its_line(tmp_path_factory, written):
    text, lines = written
    tomllib.loads(text)
    path = tmp_path_factory.mktemp("x") / "ascend-doctor.toml"
    path.write_text(text, encoding="utf-8")
    assert read(path).lines == lines


def test_the_nearest_folder_decides_and_in_it_the_own_file(tmp_path, monkeypatch):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert found() is None
    (tmp_path / "ascend-doctor.toml").write_text("jobs = 1\n")
    config = found()
    assert (str(config.path), config.values) == ("../../ascend-doctor.toml", {"jobs": 1})
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.other]\n")
    assert found().values == {"jobs": 1}
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.ascend-doctor]\njobs = 2\n")
    assert found().values == {"jobs": 2}
    (tmp_path / "a" / "ascend-doctor.toml").write_text("jobs = 3\n")
    assert found().values == {"jobs": 3}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("ascend-doctor.toml", b"jobs = 1\nx =\n", "ascend-doctor.toml:2: invalid value"),
        (
            "ascend-doctor.toml",
            b"jobs = 1\njobs = 2\n",
            "ascend-doctor.toml:2: cannot overwrite a value",
        ),
        ("ascend-doctor.toml", b"\n\xff", "ascend-doctor.toml:2: no UTF-8 text"),
        (
            "ascend-doctor.toml",
            b"#" * (1 << 20) + b"#",
            "ascend-doctor.toml: too large for a file of settings",
        ),
        (
            "pyproject.toml",
            b"[tool]\nascend-doctor = 1\n",
            "pyproject.toml: tool.ascend-doctor: must be a table",
        ),
        ("pyproject.toml", b"[tool.ascend-doctor]\nx =\n", "pyproject.toml:2: invalid value"),
    ],
)
def test_a_wrong_file_is_told_with_its_line(tmp_path, monkeypatch, name, text, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(text)
    with pytest.raises(SettingError) as caught:
        found()
    assert str(caught.value) == said


def test_a_project_that_is_wrong_elsewhere_is_none_of_our_business(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_bytes(b"[tool.other]\nx =\n")
    assert found() is None
