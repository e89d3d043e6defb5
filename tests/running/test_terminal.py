"""``run`` in a terminal: the command has one as well, and the keyboard reaches it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import signal
import struct
import sys
import termios

import pytest

from tests.conftest import ROOT


class Screen:
    """A terminal of 33 rows and 111 columns in which ``run`` is the only job."""

    def __init__(self, environ, *args: object) -> None:
        command = [sys.executable, "-m", "ascend_doctor", "run", "--", *map(str, args)]
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.chdir(ROOT)
            self.resize(33, 111, 0)
            os.execve(command[0], command, environ)
        self.shown = b""

    def resize(self, rows: int, columns: int, fd: int | None = None) -> None:
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._fd if fd is None else fd, termios.TIOCSWINSZ, size)

    def type(self, text: bytes) -> None:
        os.write(self._fd, text)

    def until(self, text: bytes) -> bytes:
        """Return what is shown up to a text."""
        while text not in self.shown:
            self.shown += self._read()
        before, _, self.shown = self.shown.partition(text)
        return before

    def end(self) -> tuple[bytes, int]:
        """Return what is shown until the end, and how it ends."""
        shown, self.shown = self.shown, b""
        with contextlib.suppress(OSError):
            while data := self._read():
                shown += data
        _, status = os.waitpid(self.pid, 0)
        return shown, os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        os.close(self._fd)
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)

    def _read(self) -> bytes:
        data = os.read(self._fd, 4096)
        if not data:
            raise EOFError(self.shown)
        return data


@pytest.fixture
def screen(environ):
    opened: list[Screen] = []

    def open_(*args: object) -> Screen:
        opened.append(Screen(environ, *args))
        return opened[-1]

    yield open_
    for one in opened:
        one.close()


def test_the_command_sees_a_terminal_of_that_size(screen, script):
    job = script(
        "import os\n"
        "print([os.isatty(n) for n in range(3)], *os.get_terminal_size(1), end='|')\n"
        "print('a\\rb\\x1b[1mc')\n"
    )
    assert screen(*job).end() == (b"[True, True, True] 111 33|a\rb\x1b[1mc\r\n", 0)


def test_a_new_size_reaches_the_command(screen, script):
    job = script(
        "import os, signal, time\n"
        "def resized(*_):\n"
        "    columns, rows = os.get_terminal_size(1)\n"
        "    if rows == 20:\n"
        "        print(f'now {columns} x {rows}.')\n"
        "        os._exit(0)\n"
        "signal.signal(signal.SIGWINCH, resized)\n"
        "print('ready.')\n"
        "time.sleep(60)\n"
    )
    terminal = screen(*job)
    terminal.until(b"ready.")
    terminal.resize(20, 50)
    terminal.until(b"now 50 x 20.")
    assert terminal.end()[1] == 0


COUNTS = """
import signal, time
def tell(*_):
    print("INT.")
signal.signal(signal.SIGINT, tell)
print("ready.")
for _ in range(600):
    time.sleep(0.1)
"""


def test_ctrl_c_reaches_the_command_once_each_time(screen, script):
    terminal = screen(*script(COUNTS))
    terminal.until(b"ready.")
    for _ in range(2):
        terminal.type(b"\x03")
        terminal.until(b"INT.")
    terminal.type(b"\x1c")
    shown, code = terminal.end()
    assert (b"INT." in shown, code) == (False, -signal.SIGQUIT)


def test_the_command_reads_what_is_typed_and_ctrl_c_reaches_it_still(screen, script):
    job = script(
        "import signal, sys\n"
        "print('name? ', end='', flush=True)\n"
        "print('hello', sys.stdin.readline().strip() + '.')\n"
        "sys.stdin.readline()\n"
    )
    terminal = screen(*job)
    terminal.until(b"name? ")
    terminal.type(b"ada\n")
    terminal.until(b"hello ada.")
    terminal.type(b"\x03")
    shown, code = terminal.end()
    assert (shown.count(b"KeyboardInterrupt\r\n"), code) == (1, -signal.SIGINT)


JOB_CONTROL = """
import os, signal, subprocess, sys, time
# A shell in a few lines: the job in a group of its own, in the foreground.
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
pid = os.fork()
if pid == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.executable, [sys.executable, "-m", "ascend_doctor", "run", "--", *sys.argv[1:]])
_, status = os.waitpid(pid, os.WUNTRACED)
os.tcsetpgrp(0, os.getpgrp())
print("shell:", os.WIFSTOPPED(status) and signal.Signals(os.WSTOPSIG(status)).name, flush=True)
sys.stdin.readline()
os.tcsetpgrp(0, pid)
os.killpg(pid, signal.SIGCONT)
_, status = os.waitpid(pid, 0)
os.tcsetpgrp(0, os.getpgrp())
print("shell:", os.waitstatus_to_exitcode(status), flush=True)
"""


@pytest.mark.parametrize("reads", [False, True])
def test_ctrl_z_stops_both_and_both_go_on(environ, script, reads):
    job = script(
        "import sys, time\n"
        + ("sys.stdin.readline()\n" if reads else "")
        + "print('ready.')\n"
        + ("sys.stdin.readline()\n" if reads else "time.sleep(1)\n")
        + "print('went on.')\n"
        + "sys.exit(6)\n"
    )
    shell = script(JOB_CONTROL)
    terminal = Screen.__new__(Screen)
    terminal.shown = b""
    terminal.pid, terminal._fd = pty.fork()
    if terminal.pid == 0:
        os.chdir(ROOT)
        os.execve(sys.executable, [*shell, *job], environ)
    try:
        if reads:
            terminal.type(b"first\n")
        terminal.until(b"ready.")
        terminal.type(b"\x1a")
        terminal.until(b"shell: SIGTSTP")
        terminal.type(b"fg\n")
        if reads:
            terminal.type(b"second\n")
        terminal.until(b"went on.")
        terminal.until(b"shell: 6")
        assert terminal.end()[1] == 0
    finally:
        terminal.close()
