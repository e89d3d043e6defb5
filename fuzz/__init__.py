"""Fuzzing: what must hold of the report on any bytes at all, and bytes to try it with."""
