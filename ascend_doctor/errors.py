"""What a user can mend: each error is one line that says what, where and what to do."""

from __future__ import annotations


class DoctorError(Exception):
    """An expected failure; the command line prints it as one line and exits 2."""


class InputError(DoctorError):
    """A path that was named cannot be read at all."""


class RuleError(DoctorError):
    """A rule or table file is wrong; the message starts with ``file:line: field:``."""


class ResultError(DoctorError):
    """A stored result cannot be read; the message says which and where in it."""


class SettingError(DoctorError):
    """A setting, a baseline or a suppression is wrong.

    The message names the option or the environment variable, or starts with ``file:line:``.
    """


class MergeError(DoctorError):
    """Two sets of facts cannot be added up."""


class HarnessError(DoctorError):
    """A training or an experiment cannot go on: its device, settings, data or disk is wrong."""
