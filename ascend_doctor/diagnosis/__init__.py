"""Merged facts → what caused what, per process, then for the whole job."""
