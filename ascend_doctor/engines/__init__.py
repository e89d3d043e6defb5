"""Where the work runs; the work itself is plain functions."""
