"""Paths and standard input → the sources that can be read, and what was skipped and why."""
