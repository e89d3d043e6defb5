"""Why a part of the input was not read, in Chinese; the report keeps the English."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from ascend_doctor.records import Lang

_CHINESE: Mapping[str, str] = {
    "empty": "空文件",
    "binary": "二进制文件",
    "unreadable": "无法读取",
    # files
    "no such file or directory": "文件或目录不存在",
    "permission denied": "没有权限",
    "is a directory": "是目录",
    "not a directory": "不是目录",
    "file name too long": "文件名过长",
    "too many levels of symbolic links": "符号链接层数过多",
    "too many open files": "打开的文件过多",
    "input/output error": "读写错误",
    "stale file handle": "文件句柄已失效",
    "no space left on device": "磁盘空间不足",
    "not a regular file": "不是普通文件",
    "not a regular file any more": "已不再是普通文件",
    "the file was cut while it was read": "文件在读取过程中被截短",
    "the file was replaced while it was read": "文件在读取过程中被替换",
    "interrupted": "被中止",
    "the process that read it was ended twice, the last time by {how}": (
        "读取它的进程两次意外结束，最后一次为 {how}"
    ),
    # machines
    "larger than {size}, the rest not read": "超过 {size}，其余未读",
    "more than {count} names, the rest not read": "文件名超过 {count} 个，其余未读",
    "more than {count} files, the rest not read": "文件超过 {count} 个，其余未读",
    "more than {count} places to look for its libraries": "查找依赖库的位置超过 {count} 处",
    "its symbols cannot be read: {detail}": "无法读取其符号：{detail}",
    "not a library: {detail}": "不是动态库：{detail}",
    # compression
    "the {name} stream is damaged: {detail}": "{name} 数据损坏：{detail}",
    "the {name} stream needs too much memory": "解压 {name} 数据需要过多内存",
    "the {name} stream ends early": "{name} 数据不完整",
    # archives
    "tar archive with a damaged header": "tar 包的文件头损坏",
    "the tar archive ends early": "tar 包不完整",
    "a header of the tar archive is damaged": "tar 包中有损坏的文件头",
    "a header of the tar archive gives no valid size": "tar 包中有文件头给出的大小无效",
    "a header of the tar archive claims a name of {count} bytes": (
        "tar 包中有文件头声称文件名长达 {count} 字节"
    ),
    "the zip archive ends early": "zip 包不完整",
    "the zip archive has no directory at its end": "zip 包末尾没有目录",
    "it is cut off or damaged": "可能不完整或已损坏",
    "the directory of the zip archive is damaged": "zip 包的目录损坏",
    "the directory of the zip archive points to where no member is": (
        "zip 包的目录指向了没有文件的位置"
    ),
    "more comes out of the zip archive than its directory says": "解压内容超出 zip 目录所记大小",
    "what comes out of the zip archive does not match its checksum": "解压内容与 zip 校验和不符",
    "zip archive of more than {size} that comes as a stream, not read": (
        "位于数据流中的 zip 包超过 {size}，未读"
    ),
    "unpack what is around it first": "请先解开其外层",
    "PyTorch checkpoint": "PyTorch 权重文件",
    "NumPy archive": "NumPy 数据文件",
    "office document": "Office 文档",
    # their members
    "link, not followed": "链接，不跟随",
    "encrypted, not read": "已加密，未读",
    "unpack it first": "请先解压",
    "packed by a method that is not known here ({method})": "压缩方法不支持（{method}）",
    "of a kind that tar does not define": "tar 规范之外的类型",
    "stored as a sparse file, not read": "以稀疏文件方式存储，未读",
    "pack it without tar's -S": "打包时请不要使用 tar 的 -S",
    "goes on from another volume, not read": "接续自另一分卷，未读",
    "its name is longer than any file's can be": "文件名超出系统允许的长度",
    # limits
    "more than {count} members": "成员超过 {count} 个",
    "unpacks to more than {ratio} times its size": "解压后超过压缩前的 {ratio} 倍",
    "unpacks to more than {size}": "解压后超过 {size}",
    "packed more than {depth} deep": "嵌套超过 {depth} 层",
    "{option} raises this limit": "可用 {option} 放宽",
    "what follows was not read": "其后内容未读",
    "written by ascend-doctor": "ascend-doctor 自身的输出",
    # the scan
    "profiler data that this version does not read": "当前版本不支持的 Profiler 数据",
    "no whole JSON document": "不是完整的 JSON 文档",
    # databases
    "SQLite database that is no profile": "与性能数据无关的 SQLite 数据库",
    "the database is damaged, cut off or still being written": "数据库损坏、不完整或仍在写入",
    "reading it takes far longer than its size explains": "读取耗时远超其大小应有的水平，已停止",
    "a value in it is larger than any of a profile": "其中有数值大小超出性能数据应有的范围",
    "this Python has no sqlite3": "当前 Python 未带 sqlite3",
    "table {name}: the database is damaged, cut off or still being written": (
        "表 {name}：数据库损坏、不完整或仍在写入"
    ),
    "table {name}: reading it takes far longer than its size explains": (
        "表 {name}：读取耗时远超其大小应有的水平，已停止"
    ),
    "table {name}: a value in it is larger than any of a profile": (
        "表 {name}：其中有数值大小超出性能数据应有的范围"
    ),
    "database of more than {size} that comes as a stream, not read": (
        "位于数据流中的数据库超过 {size}，未读"
    ),
    "it ends within an event": "末尾的事件不完整",
    "it ends before its list of events does": "事件列表没有结束",
    "it ends or breaks off before its last event was told": "文件不完整，事件未全部给出",
    "it is no list of events": "不是事件列表",
    "what follows its end was not read": "其结尾之后的内容未读",
    "rule {rule} took too long on {count} messages": "规则 {rule} 在 {count} 条消息上超时",
    "rule {rule} took too long on {count} messages and was switched off": (
        "规则 {rule} 在 {count} 条消息上超时，已停用"
    ),
}


def translated(reason: str, lang: Lang) -> str:
    """Return a reason in a language; what has no translation stays as it is.

    >>> translated("packed more than 2 deep; --max-depth raises this limit", "zh")
    '嵌套超过 2 层；可用 --max-depth 放宽'
    """
    if lang == "en":
        return reason
    return "；".join(_chinese(part) for part in reason.split("; "))


def _chinese(part: str) -> str:
    if part in _CHINESE:
        return _CHINESE[part]
    for pattern, chinese in _patterns():
        found = pattern.fullmatch(part)
        if found is not None:
            return chinese.format(**found.groupdict())
    return part


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    return [
        (re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(english))), chinese)
        for english, chinese in _CHINESE.items()
        if "{" in english
    ]
