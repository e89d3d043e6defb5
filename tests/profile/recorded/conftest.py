"""``record.py`` needs torch, and is no test."""

collect_ignore = ["record.py"]
