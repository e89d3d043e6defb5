"""A command under ``run`` behaves as it does without it."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.conftest import ROOT

FAULT = "ImportError: libhccl.so: cannot open shared object file: No such file or directory"
OTHER = "ImportError: {}: cannot open shared object file: No such file or directory\n"


@pytest.mark.parametrize("code", [0, 1, 3, 127, 255])
def test_the_exit_code_is_the_commands(start, code):
    process = start("--", "sh", "-c", f"exit {code}")
    assert process.wait(60) == code


@pytest.mark.parametrize("name", ["SIGHUP", "SIGTERM", "SIGKILL", "SIGABRT", "SIGUSR1"])
def test_it_dies_of_the_signal_that_the_command_died_of(start, script, name):
    job = script(f"import os, signal; os.kill(os.getpid(), signal.{name})")
    process = start("--", *job)
    _, err = process.communicate(timeout=60)
    assert process.returncode == -signal.Signals[name]
    assert f"The command was ended by {name} after" in err.decode()


SIGNALS = """
import os, signal, sys, time
def tell(number, frame):
    print(signal.Signals(number).name)
    if number == signal.SIGTERM:
        sys.exit(7)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1):
    signal.signal(number, tell)
print("ready")
while True:
    time.sleep(60)
"""


def test_each_signal_reaches_the_command_once(start, script):
    process = start("--", *script(SIGNALS), start_new_session=True)
    assert process.stdout.readline() == b"ready\n"
    names = ["SIGINT", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1"]
    said = []
    for number, name in enumerate(names):
        # To the whole group, as a terminal does, or to the process, as a scheduler may.
        send = os.killpg if number % 2 else os.kill
        send(process.pid, signal.Signals[name])
        said.append(process.stdout.readline().decode().strip())
    process.terminate()
    rest, _ = process.communicate(timeout=60)
    assert (said, rest, process.returncode) == (names, b"SIGTERM\n", 7)


def test_a_signal_that_is_ignored_stays_so(start, script):
    job = script(
        "import signal, os\n"
        "print(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN, flush=True)\n"
        "os.kill(os.getppid(), signal.SIGHUP)\n"
        "print('alive')"
    )
    process = start("--", *job, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    out, _ = process.communicate(timeout=60)
    assert (out, process.returncode) == (b"True\nalive\n", 0)


def test_both_streams_pass_byte_for_byte(start, script):
    job = script(
        "import sys\n"
        "for _ in range(50):\n"
        "    sys.stdout.buffer.write(bytes(range(256)))\n"
        "    sys.stderr.buffer.write(bytes(range(255, -1, -1)))\n"
    )
    out, err = start("--", *job).communicate(timeout=60)
    assert (out, err) == (bytes(range(256)) * 50, bytes(range(255, -1, -1)) * 50)


def test_streams_that_are_one_keep_their_order(start, script):
    job = script(
        "import os\nfor number in range(2000):\n    os.write(1 + number % 2, b'%d\\r' % number)\n"
    )
    out, _ = start("--", *job, stderr=subprocess.STDOUT).communicate(timeout=60)
    assert out == b"".join(b"%d\r" % number for number in range(2000))


def test_what_is_printed_comes_at_once_without_a_newline(start, script):
    job = script("import sys; sys.stdout.write('10%|#'); sys.stdout.flush(); sys.stdin.read()")
    process = start("--", *job, stdin=subprocess.PIPE)
    assert os.read(process.stdout.fileno(), 100) == b"10%|#"
    assert process.communicate(b"", timeout=60) == (b"", b"")


def test_a_large_output_is_whole(start, script):
    job = script(
        "import os, hashlib, sys\n"
        "digest = hashlib.sha256()\n"
        "for number in range(64):\n"
        "    data = os.urandom(1 << 20)\n"
        "    digest.update(data)\n"
        "    sys.stdout.buffer.write(data)\n"
        "print(digest.hexdigest(), file=sys.stderr, end='')\n"
    )
    out, err = start("--", *job).communicate(timeout=60)
    assert (len(out), hashlib.sha256(out).hexdigest()) == (64 << 20, err.decode())


def test_standard_input_and_other_descriptors_are_the_commands(start, script):
    ours, theirs = os.pipe()
    job = script(
        "import os, sys\nprint(sys.stdin.read(), end='')\nos.write(int(sys.argv[1]), b'more\\n')\n",
        theirs,
    )
    process = start("--", *job, stdin=subprocess.PIPE, pass_fds=[theirs])
    os.close(theirs)
    out, _ = process.communicate(b"typed\n", timeout=60)
    with os.fdopen(ours, "rb") as pipe:
        assert (out, pipe.read()) == (b"typed\n", b"more\n")


def test_a_command_that_closes_its_output_goes_on(start):
    process = start("--", "sh", "-c", "echo a; exec >&- 2>&-; sleep 0.3; exit 5")
    out, _ = process.communicate(timeout=60)
    assert (out, process.returncode) == (b"a\n", 5)


def test_what_a_command_leaves_behind_is_not_waited_for(start):
    process = start("--", "sh", "-c", "sleep 300 & echo $!; exit 0")
    try:
        pid = int(process.stdout.readline())
        _, err = process.communicate(timeout=60)
    finally:
        os.kill(pid, signal.SIGKILL)
    assert (process.returncode, err.decode()) == (
        0,
        "ascend-doctor: Processes that it started still hold its output open; what they print "
        "from now on is not shown.\n",
    )


def test_a_reader_that_leaves_ends_the_command_as_it_would(start, tmp_path):
    process = start("--", "yes", stderr=subprocess.DEVNULL)
    assert process.stdout.readline() == b"y\n"
    process.stdout.close()
    assert process.wait(60) == -signal.SIGPIPE


def test_closed_streams_stay_closed(start, script):
    job = script(
        "import os, sys\n"
        "def is_open(n):\n"
        "    try:\n"
        "        os.fstat(n)\n"
        "    except OSError:\n"
        "        return False\n"
        "    return True\n"
        "seen = [is_open(n) for n in (0, 1, 2)]\n"
        "open(sys.argv[1], 'w').write(repr(seen))\n"
        "sys.exit(9)",
    )  # fmt: skip
    for closed, seen in ((">&-", [True, False, True]), ("2>&-", [True, True, False])):
        out = job[2] + ".txt"
        line = f"exec {sys.executable} -m ascend_doctor run -- {' '.join(job)} {out} {closed}"
        done = subprocess.run(["sh", "-c", line], cwd=ROOT, capture_output=True, timeout=60)
        with open(out) as told:
            assert (done.returncode, told.read()) == (9, repr(seen))


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("no-such-command", 127, "no-such-command: command not found"),
        ("/tmp", 126, "/tmp: cannot be run: permission denied"),
        ("two\nlines", 127, "two\\x0alines: command not found"),
    ],
)
def test_what_cannot_be_started_exits_as_in_a_shell(start, name, code, said):
    process = start("--", name)
    assert process.communicate(timeout=60) == (b"", f"ascend-doctor: {said}\n".encode())
    assert process.returncode == code


def test_a_script_without_an_interpreter_is_run_by_the_shell(start, tmp_path):
    path = tmp_path / "train.sh"
    path.write_text('echo "$1"\nexit 4\n')
    path.chmod(0o755)
    process = start("--", path, "--epochs=2")
    assert (process.communicate(timeout=60)[0], process.returncode) == (b"--epochs=2\n", 4)


def test_options_behind_the_command_are_its_own(start):
    process = start("echo", "--stall", "x")
    assert process.communicate(timeout=60) == (b"--stall x\n", b"")


def test_killed_itself_it_leaves_nothing(start, script, environ):
    job = script(
        "import signal, sys, time\n"
        "def end(*_):\n"
        "    open(sys.argv[1], 'w').write('ended')\n"
        "    sys.exit()\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "print('x' * 100000)\n"
        "time.sleep(600)\n",
        environ["TMPDIR"] + "/ended",
    )
    process = start("--", *job)
    process.stdout.readline()
    process.kill()
    process.wait(60)
    deadline = time.monotonic() + 60
    while os.listdir(environ["TMPDIR"]) != ["ended"] and time.monotonic() < deadline:
        time.sleep(0.02)
    assert os.listdir(environ["TMPDIR"]) == ["ended"]


def test_a_success_is_silent_and_a_failure_is_diagnosed_on_standard_error(start):
    fine = start("--", "sh", "-c", f"echo step 1; echo '{FAULT}' >&2")
    assert fine.communicate(timeout=60) == (b"step 1\n", FAULT.encode() + b"\n")
    bad = start("--", "sh", "-c", f"echo step 1; echo '{FAULT}' >&2; exit 2")
    out, err = bad.communicate(timeout=60)
    lines = err.decode().splitlines()
    assert (out, lines[0], lines[1]) == (b"step 1\n", FAULT, "─" * 100)
    assert lines[2].startswith("ascend-doctor: The command ended with exit code 2 after ")
    assert lines[2].endswith(" This is about its output.")
    assert lines[4] == "✗ Root cause: The loader cannot find libhccl.so"
    # Its lines are counted as they came.
    assert "  Proof    <output>:2" in lines


def test_a_success_is_diagnosed_if_it_is_asked_for(start):
    process = start("--always", "--lang", "zh", "--", "echo", FAULT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out.decode()) == (0, FAULT + "\n")
    assert "✗ 根因：加载器找不到 libhccl.so" in err.decode().splitlines()


def test_a_command_that_says_nothing_is_told_in_one_line(start):
    _, err = start("--", "false").communicate(timeout=60)
    told = " ".join(err.decode().splitlines()[1:])
    assert told.startswith("ascend-doctor: The command ended with exit code 1 after ")
    assert told.endswith("s. It printed nothing that can be read, and wrote no new logs.")


def test_wrong_rules_are_told_before_the_command_starts(start, tmp_path):
    folder = tmp_path / "rules" / "not_found"
    folder.mkdir(parents=True)
    (folder / "not-found-x.yaml").write_text("id: not-found-x\nfamly: not_found\n")
    process = start("--rules", tmp_path / "rules", "--", "echo", "started")
    out, err = process.communicate(timeout=60)
    assert (out, process.returncode) == (b"", 2)
    assert err.decode().endswith("not-found-x.yaml:2: famly: there is no such field\n")


def test_new_plogs_are_read_and_old_ones_from_where_they_grew(start, script, environ, tmp_path):
    folder = tmp_path / "logs" / "debug" / "plog"
    folder.mkdir(parents=True)
    environ["ASCEND_PROCESS_LOG_PATH"] = str(tmp_path / "logs")
    old = folder / "plog-71_20260530100600001.log"
    old.write_text(FAULT + "\nolder\n")
    other = folder / "plog-72_20260530100600002.log"
    other.write_text(FAULT + "\n")
    job = script(
        "import sys\n"
        "from pathlib import Path\n"
        f"folder, text = Path({str(folder)!r}), {OTHER!r}\n"
        "with open(folder / 'plog-71_20260530100600001.log', 'a') as log:\n"
        "    log.write(text.format('libruntime.so'))\n"
        "(folder / 'plog-73_20260530100703003.log').write_text(text.format('libge_runner.so'))\n"
        "sys.exit(1)\n"
    )
    _, err = start("--", *job).communicate(timeout=60)
    told = "".join(err.decode().split())
    assert "Thisisaboutitsoutputand2logs." in told
    assert f"{old}:3ImportError:libruntime.so" in told
    assert f"{folder}/plog-73_20260530100703003.log:1ImportError:libge_runner.so" in told
    assert "libhccl.so" not in told


def test_logs_that_are_named_are_read_as_well(start, tmp_path):
    log = tmp_path / "rank_3" / "train.log"
    process = start(
        "--logs", log.parent, "--", "sh", "-c",
        f"mkdir {log.parent}; echo '{FAULT}' >{log}; exit 1",
    )  # fmt: skip
    _, err = process.communicate(timeout=60)
    told = "".join(err.decode().split())
    assert "Thisisaboutitsoutputandonelog." in told
    assert f"Proof{log}:1" in told


def test_the_output_is_kept_where_it_is_asked_for(start, tmp_path):
    process = start("--keep", tmp_path / "kept", "--", "sh", "-c", f"echo '{FAULT}'; exit 1")
    out, err = process.communicate(timeout=60)
    (kept,) = (tmp_path / "kept").iterdir()
    assert kept.read_bytes() == out == FAULT.encode() + b"\n"
    assert f"Its output is kept in {kept}" in err.decode().splitlines()
    assert f"Proof{kept}:1" in "".join(err.decode().split())


@pytest.mark.parametrize(("line", "is_told"), [("step 1", False), (FAULT, True)])
def test_who_ends_a_job_that_is_well_is_told_nothing(start, script, line, is_told):
    process = start("--", *script(f"import time; print({line!r}); time.sleep(600)"))
    process.stdout.readline()
    process.terminate()
    _, err = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM
    assert ("The command was ended by SIGTERM" in err.decode(), bool(err)) == (is_told, is_told)


def test_a_report_is_written_to_files_as_well(start, tmp_path):
    path = tmp_path / "report.json"
    process = start("-f", f"json={path}", "--", "sh", "-c", f"echo '{FAULT}'; exit 1")
    out, _ = process.communicate(timeout=60)
    (diagnosis,) = json.loads(path.read_text(encoding="utf-8"))["diagnoses"]
    assert (out, diagnosis["rule"]) == (FAULT.encode() + b"\n", "not-found-shared-library")
    _, err = start("-f", "json", "--", "true").communicate(timeout=60)
    assert err.decode().endswith("json: name a file here, as in -f json=FILE\n")


def test_a_folder_that_cannot_be_made_is_told_before_the_command_starts(start, tmp_path):
    (tmp_path / "file").write_text("")
    process = start("--keep", tmp_path / "file" / "kept", "--", "echo", "started")
    assert process.communicate(timeout=60) == (
        b"",
        f"error: --keep {tmp_path}/file/kept: not a directory\n".encode(),
    )
    assert process.returncode == 2


def test_a_success_loads_nothing_that_only_a_diagnosis_needs(start, environ):
    code = (
        "import atexit, sys\n"
        "heavy = {'ctypes.util', 'pandas', 'rich', 'jinja2', 'pydantic', 'yaml', 'hyperscan'}\n"
        "atexit.register(lambda: print(sorted(heavy & set(sys.modules))))\n"
        "from ascend_doctor.cli import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", code, "run", "--", "true"]
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == (b"[]\n", b"", 0)


def test_logs_that_never_appeared_are_told(start):
    process = start("--logs", "/no/such/folder", "--", "sh", "-c", "echo up; exit 3")
    out, err = process.communicate(timeout=60)
    assert (out, process.returncode) == (b"up\n", 3)
    assert "--logs /no/such/folder: no such file or folder" in err.decode().splitlines()


def test_a_report_that_could_not_be_written_is_refused_before_the_job(start, script, tmp_path):
    process = start("-f", f"html={tmp_path}/none/x.html", "--", *script("print('ran')"))
    out, err = process.communicate(timeout=60)
    assert (out, process.returncode) == (b"", 2)
    assert (
        err.decode()
        .splitlines()[-1]
        .endswith(f"{tmp_path}/none/x.html: there is no folder {tmp_path}/none")
    )
