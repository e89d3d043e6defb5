"""Bytes of a file → the text as the software printed it, with a map back to its lines."""
