"""What records traces needs torch, and is no test."""

collect_ignore = ["recorded/record.py"]
