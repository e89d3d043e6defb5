"""Codes in a message, and what the tables say of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from ascend_doctor import late
from ascend_doctor.records import Lang, Role


class Code(Struct, frozen=True):
    """One row of a code table."""

    table: str
    code: str
    name: str
    family: str
    role: Role
    meaning: Mapping[Lang, str]

    @property
    def rule(self) -> str:
        """The id under which it is told where no rule decides."""
        return f"code-{self.table.replace('_', '-')}-{self.code.lower()}"

    @property
    def label(self) -> str:
        """What people know it by; HCCL's small numbers mean nothing without their name."""
        return self.name if self.table == "hccl" else self.code


# Where a number is an ACL number: only behind the words that the software prints before it.
_ACL = late.pattern(rb"\d{6,}")
_BEFORE_ACL = late.pattern(
    rb"(?:error code is[ :]{0,3}|error code:|[Ee]rrCode[ =:]{1,3}|[Ee]rrorCode ?= ?"
    rb"|runtime result = |retCode is |CANN failure |ge result ?[=\[] ?|result = |\bret(?:Code)? ?"
    rb"(?:= ?)?|ErrorNo: |failed(?: ?:|,) ?)\Z"
)
_REACH = 24
_HEX = late.pattern(rb"(?:InnerCode|retCode|error) ?= ?(0x0?7[0-9a-fA-F]{6})\b")
# Patterns that begin with a set of bytes or a literal: an error storm is searched by them.
_MANAGER = late.pattern(rb"[EW][1-9A-Z]\d{4}(?![0-9A-Za-z])")
_PTA = late.pattern(rb"ERR\d{5}\b")
_BEFORE_HEX = late.pattern(rb"(?:(?:InnerCode|retCode|error) ?= ?|errNo\[|hcclRet -> )\Z")
_HCCL = late.pattern(
    rb"(?:errNo\[0x0{0,9}5[0-9a-fA-F]{2}([0-9a-fA-F]{4})\]|hcclRet -> (\d{1,2})\b)"
)


class Codes:
    """The code tables, and how to find codes in a message.

    ``runtime`` maps an internal code such as ``0x7010003`` to its name and ACL number.
    """

    def __init__(
        self,
        tables: Mapping[str, Mapping[str, Code]],
        runtime: Mapping[str, tuple[str, str]],
    ) -> None:
        self._tables = tables
        self.runtime = runtime

    def row(self, table: str, code: str) -> Code:
        """Return a row that ``find`` or ``rows`` yielded before."""
        return self._tables[table][code]

    def rows(self) -> Iterator[Code]:
        """Yield all rows of all tables."""
        for rows in self._tables.values():
            yield from rows.values()

    def find(self, text: bytes) -> list[tuple[int, Code]]:
        """Return where ``text`` first names each known code, in the order of the text."""
        found: dict[tuple[str, str], tuple[int, Code]] = {}
        for offset, table, value in sorted(self._written(text)):
            code = self._tables[table].get(value)
            if code is not None:
                found.setdefault((table, value), (offset, code))
        return [*found.values()]

    @staticmethod
    def may_begin_at(text: bytes, offset: int) -> bool:
        """Say whether a number at ``offset`` of ``text`` may be a code, whatever its digits are.

        >>> Codes.may_begin_at(b"error code is 507018", 14), Codes.may_begin_at(b"rank 507018", 5)
        (True, False)
        """
        before = text[max(0, offset - _REACH) : offset]
        return _BEFORE_ACL.search(before) is not None or _BEFORE_HEX.search(before) is not None

    def _written(self, text: bytes) -> Iterator[tuple[int, str, str]]:
        for found in _MANAGER.finditer(text):
            if _begins_word(text, found.start()):
                yield found.start(), "error_manager", found[0].decode()
        for found in _ACL.finditer(text):
            start = found.start()
            if len(found[0]) == 6:
                before = _BEFORE_ACL.search(text, max(0, start - _REACH), start)
                if before is not None:
                    yield before.start(), "acl", found[0].decode()
        for found in _HEX.finditer(text) if b"0x" in text else ():
            row = self.runtime.get("0x" + found[1][2:].decode().lower().lstrip("0"))
            if row is not None:
                yield found.start(), "acl", row[1]
        for found in _HCCL.finditer(text) if b"errNo[" in text or b"hcclRet" in text else ():
            number = int(found[1], 16) if found[1] else int(found[2])
            yield found.start(), "hccl", str(number)
        for found in _PTA.finditer(text):
            if _begins_word(text, found.start()):
                yield found.start(), "torch_npu", found[0].decode()


def _begins_word(text: bytes, start: int) -> bool:
    return start == 0 or not text[start - 1 : start].isalnum()
