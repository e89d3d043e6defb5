"""Exit codes, the same for every command. Where several hold: 2, then 3, then 1."""

OK = 0
FINDINGS = 1
ERROR = 2
NO_INPUT = 3
