"""Where things lie, and what every test may use."""

from __future__ import annotations

import signal
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ascend_doctor.cli import main

ROOT = Path(__file__).parent.parent

# What literals can be found with here.
ENGINES = ["stdlib"]
with suppress(ImportError):
    import hyperscan  # noqa: F401

    ENGINES.append("hyperscan")


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="Write golden files anew.")


@pytest.fixture(scope="session", autouse=True)
def signals_are_heard():
    """Hear signals as in a terminal: `nohup` and a shell that puts tests behind itself ignore some.

    Whatever tests start would go on to ignore them.
    """
    usual = {
        signal.SIGHUP: signal.SIG_DFL,
        signal.SIGQUIT: signal.SIG_DFL,
        signal.SIGINT: signal.default_int_handler,
    }
    for number, handler in usual.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.fixture(autouse=True)
def is_no_workflow(monkeypatch):
    """Run as outside of a workflow, whose steps write annotations, wherever the tests run."""
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


@pytest.fixture
def run(monkeypatch):
    """Run the command line in this process; the locale is English unless a test says so."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")

    def invoke(*args: object, stdin: bytes | None = None) -> Result:
        return CliRunner().invoke(main, [str(arg) for arg in args], input=stdin)

    return invoke
