"""Profiler folders and tables → the same findings as logs give."""
