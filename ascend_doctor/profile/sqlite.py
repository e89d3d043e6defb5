"""A SQLite file from elsewhere, read without trust: never written, and in bounded time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ascend_doctor.profile.columns import MAX_DURATION

if TYPE_CHECKING:
    import sqlite3

# Steps of SQLite's machine: what any database is granted, and for each byte of it. A whole profile
# takes less than one a byte.
_STEPS = 10_000_000
_STEPS_A_BYTE = 4
_EVERY = 100_000
# Bytes of a value, a row, or a statement.
_MAX_VALUE = 1 << 20
_MAX_TABLES = 1024
_MAX_NS = round(1000 * MAX_DURATION)

Row = tuple[Any, ...]


class DatabaseError(Exception):
    """A database, or a table of it, cannot be read; the message says why in a few words."""


class Database:
    """A database of which the tables are read, and neither views nor anything that computes.

    Attributes:
        tables: the columns of each table, by its name in lower case.

    Raises:
        DatabaseError: it is none, or is damaged.
    """

    def __init__(self, file: str) -> None:
        try:
            import sqlite3
        except ImportError as err:  # Python can be built without
            raise DatabaseError("this Python has no sqlite3") from err
        # Names and messages of a damaged one need not be text.
        self._failures = (sqlite3.Error, OverflowError, MemoryError, UnicodeError)
        self._left = _STEPS + _STEPS_A_BYTE * os.stat(file).st_size
        # A profiler may still hold it: nothing is locked, and what it has not written is not seen.
        name = f"file:{quote(os.fsencode(os.path.abspath(file)))}?mode=ro&immutable=1"
        try:
            self._connection = sqlite3.connect(name, uri=True)
        except self._failures as err:
            raise DatabaseError(_reason(err)) from err
        try:
            _guard(self._connection)
            self._connection.set_progress_handler(self._is_too_much, _EVERY)
            self._names = self._find()
        except self._failures as err:
            self.close()
            raise DatabaseError(_reason(err)) from err
        self.tables: Mapping[str, frozenset[str]] = {
            name: frozenset(columns) for name, (_, columns) in self._names.items()
        }

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def has(self, table: str, *columns: str) -> bool:
        """Say whether there is a table with these columns, whatever their case."""
        there = self.tables.get(table.lower())
        return there is not None and {column.lower() for column in columns} <= there

    def select(
        self,
        table: str,
        columns: Sequence[str],
        *,
        inner: tuple[str, str, Sequence[str]] | None = None,
        where: tuple[str, Sequence[object]] | None = None,
        limit: int = -1,
    ) -> Iterator[Row]:
        """Yield the number of each row, and columns of it; those that there are not are None.

        Args:
            table: is there, as are the others.
            columns: of it.
            inner: another table, the column that both have, and columns of that table.
            where: a column, and the values of it that are asked for.
            limit: the most rows.

        Raises:
            DatabaseError: the table is damaged, or takes far longer than one of its size should.
        """
        wanted = [self._column("t", table, name) for name in ("rowid", *columns)]
        source = f"{self._table(table)} AS t"
        if inner is not None:
            other, key, more = inner
            wanted += [self._column("o", other, name) for name in more]
            same = f"{self._column('o', other, key)} = {self._column('t', table, key)}"
            source += f" JOIN {self._table(other)} AS o ON {same}"
        query = f"SELECT {', '.join(wanted)} FROM {source}"  # noqa: S608  # names of its own, quoted
        values: Sequence[object] = ()
        if where is not None:
            column, values = where
            marks = ", ".join("?" * len(values))
            query += f" WHERE {self._column('t', table, column)} IN ({marks})"
        return self._rows(table, f"{query} LIMIT {limit}", values)

    def sums(self, table: str, by: str, begin: str, end: str) -> Iterator[Row]:
        """Yield row, ``by``, how many, total, longest, and the begin of that, of each ``by``."""
        row, key, start = (self._column("t", table, name) for name in ("rowid", by, begin))
        took = f"({self._column('t', table, end)} - {start})"
        wanted = f"{row}, {key}, count(*), sum({took}), max({took}), {start}"
        # What is no time counts as 0, and none is longer than the most that is believed.
        timed = f"{took} BETWEEN 0 AND {_MAX_NS} AND CAST({start} AS INTEGER) > 0"
        source = f"{self._table(table)} AS t WHERE {timed} GROUP BY {key}"
        return self._rows(table, f"SELECT {wanted} FROM {source}")  # noqa: S608  # as above

    def distinct(self, table: str, column: str, limit: int) -> list[Any]:
        """Return the different values of a column, at most ``limit``."""
        wanted = f"DISTINCT {self._column('t', table, column)}"
        query = f"SELECT {wanted} FROM {self._table(table)} AS t LIMIT {limit}"  # noqa: S608  # as above
        return [row[0] for row in self._rows(table, query)]

    def _rows(self, table: str, query: str, values: Sequence[object] = ()) -> Iterator[Row]:
        try:
            yield from self._connection.execute(query, values)
        except self._failures as err:
            raise DatabaseError(f"table {table}: {_reason(err)}") from err

    def _find(self) -> dict[str, tuple[str, set[str]]]:
        """Return names and columns of all tables that only hold what was written to them."""
        found: dict[str, tuple[str, set[str]]] = {}
        tables = self._connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'table' LIMIT ?", (_MAX_TABLES,)
        )
        for name, sql in tables.fetchall():
            words = str(sql).upper().split(None, 2)
            if words[:2] != ["CREATE", "TABLE"]:
                continue
            info = self._connection.execute(f"PRAGMA table_xinfo({_quoted(name)})").fetchall()
            # A column with a mark computes its values.
            columns = {str(column[1]).lower() for column in info if column[6] == 0}
            if "WITHOUT ROWID" not in " ".join(str(sql).upper().split()[-4:]):
                columns.add("rowid")
            found[str(name).lower()] = (str(name), columns)
        return found

    def _table(self, name: str) -> str:
        return _quoted(self._names[name.lower()][0])

    def _column(self, alias: str, table: str, name: str) -> str:
        there = name.lower() in self._names[table.lower()][1]
        return f"{alias}.{_quoted(name) if name != 'rowid' else name}" if there else "NULL"

    def _is_too_much(self) -> int:
        self._left -= _EVERY
        return int(self._left < 0)


def _guard(connection: sqlite3.Connection) -> None:
    """Forbid a connection what a hostile file could make it do."""
    import sqlite3

    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON"):
        connection.execute(f"PRAGMA {pragma}")
    with suppress(AttributeError):  # since Python 3.11
        for limit in (sqlite3.SQLITE_LIMIT_LENGTH, sqlite3.SQLITE_LIMIT_SQL_LENGTH):
            connection.setlimit(limit, _MAX_VALUE)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _reason(error: BaseException) -> str:
    """Return why a database cannot be read, in a few words."""
    text = str(error)
    if text == "interrupted":
        return "reading it takes far longer than its size explains"
    if isinstance(error, MemoryError) or "too big" in text:
        return "a value in it is larger than any of a profile"
    if isinstance(error, UnicodeError) or "malformed" in text or "not a database" in text:
        return "the database is damaged, cut off or still being written"
    return text or type(error).__name__
