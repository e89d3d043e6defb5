"""What programs printed, without where and by whom it was run.

>>> Hidden([("/home/kim/venv", "/env")], ["kims-box"]).text("File /home/kim/venv/x.py on kims-box")
'File /env/x.py on host-1'
"""

from __future__ import annotations

import getpass
import platform
import re
import site
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

# Shorter names stand in ordinary words.
_SHORTEST = 4


class Hidden:
    """Replaces folders and names of this machine by ones that say nothing."""

    def __init__(self, folders: Iterable[tuple[str, str]], names: Iterable[str]) -> None:
        given = {folder: to for folder, to in folders if len(folder) >= _SHORTEST}
        for number, name in enumerate(names, 1):
            if len(name) >= _SHORTEST:
                given.setdefault(name, f"host-{number}")
        # What contains another goes first.
        parts = sorted(map(re.escape, given), key=len, reverse=True)
        self._pattern = re.compile(
            "|".join(f"(?<![A-Za-z0-9]){part}(?![A-Za-z0-9])" for part in parts)
        )
        self._given = given

    def text(self, text: str) -> str:
        """Return a text without them."""
        return self._pattern.sub(lambda found: self._given[found[0]], text) if self._given else text

    def file(self, path: Path) -> None:
        """Rewrite a file without them; a file that is not there stays so."""
        if path.is_file():
            data = path.read_text(encoding="utf-8", errors="replace")
            path.write_text(self.text(data), encoding="utf-8")


def of_this_machine(out: Path, package: Path) -> Hidden:
    """Return what hides this machine's folders, of which ``out`` is that of the runs."""
    # As absolute paths: a relative one may be an ordinary word.
    folders = [(str(path), "/runs") for path in (out.absolute(), out.resolve())]
    folders += [(str(package), "/package")]
    folders += [(path, "/env") for path in (sys.prefix, sys.base_prefix, sys.exec_prefix)]
    folders += [(path, "/env/site-packages") for path in site.getsitepackages()]
    folders += [(tempfile.gettempdir(), "/tmp"), (str(Path.home()), "/home/user")]  # noqa: S108
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in some containers
        user = ""
    if user not in _ORDINARY:
        folders.append((user, "user"))
    # A machine called `train` cannot be told from the word.
    names = {platform.node(), platform.node().partition(".")[0]}
    told = sorted(name for name in names if re.search(r"[\d.-]", name))
    return Hidden([(path, to) for path, to in folders if len(path) > 1], told)


_ORDINARY = frozenset({"", "root", "user", "runner", "ubuntu", "admin", "train"})
