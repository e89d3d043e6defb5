"""What of the input was not read, or lacks something, as reports say it."""

from __future__ import annotations

from collections.abc import Mapping

from ascend_doctor.records import Lang, Note
from ascend_doctor.report import Coverage
from ascend_doctor.reporters.labels import filled, label
from ascend_doctor.reporters.reasons import translated

# Of a note that a later version made, and says in words.
AS_TOLD = "as_told"

# What each note says, in English and in Chinese.
NOTES: Mapping[str, tuple[str, str]] = {
    AS_TOLD: ("{en}", "{zh}"),
    "rows_unread": (
        "unreadable rows that are left out: {count}, the first on line {line}",
        "{count} 行无法读取，未计入，首个位于第 {line} 行",
    ),
    "steps_left_out": (
        "more than {count} steps: the first ones are read",
        "step 超过 {count} 个，只读取前面的部分",
    ),
    "no_steps": ("no step in it can be read", "其中没有可读取的 step"),
    "components_left_out": (
        "rows about more components than are told apart: {count}",
        "组件过多，有 {count} 行未计入",
    ),
    "too_large": (
        "larger than {size} MiB, not read",
        "超过 {size} MiB，未读取",
    ),
    "unfinished": (
        "the program that writes it has not finished: what is in its journal is not read",
        "写入程序尚未完成写入，日志文件（-wal、-journal）中的内容未读取",
    ),
    "events_unread": (
        "unreadable events that are left out: {count}, the first on line {line}",
        "{count} 个事件无法读取，未计入，首个位于第 {line} 行",
    ),
    "events_untimed": (
        "events without a time or a duration: {count}",
        "{count} 个事件没有时间戳或时长",
    ),
    "events_unpaired": (
        "events without a begin or an end: {count}",
        "{count} 个事件缺少开始或结束",
    ),
    "events_left_out": (
        "events left out, since they are more than can be kept: {count}",
        "事件过多，有 {count} 个未计入",
    ),
    "no_events": (
        "no event of a step, a host or a device can be read",
        "其中没有可读取的 step、Host 或设备事件",
    ),
    "devices_as_one": (
        "{count} devices are taken for one",
        "将 {count} 个设备合并为一个处理",
    ),
}


def missing(coverage: Coverage, lang: Lang) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return what was skipped, read in part, or noted, under their labels: paths and why."""
    found = [
        ("skipped", [(path, translated(reason, lang)) for path, reason in coverage.skipped]),
        ("broken", [(path, translated(reason, lang)) for path, reason in coverage.broken]),
        ("notes", _notes(coverage, lang)),
    ]
    return [(name, items) for name, items in found if items]


def said(note: Note, lang: Lang) -> str:
    """Return what a file lacks, or had to be taken for something, in a language."""
    return filled(NOTES[note.name], lang, note.values)


def _notes(coverage: Coverage, lang: Lang) -> list[tuple[str, str]]:
    """Return each note once, with the first file that it is about and how many more there are."""
    paths: dict[str, list[str]] = {}
    for path, note in coverage.notes:
        paths.setdefault(said(note, lang), []).append(path)
    return [(found[0], _counted(text, found, lang)) for text, found in paths.items()]


def _counted(note: str, paths: list[str], lang: Lang) -> str:
    if len(paths) == 1:
        return note
    return label("note_of_more", lang, note=note, count=len(paths) - 1)
