"""A small trainer of a Llama-like decoder on documents of varying length.

Each module does one thing and can be lifted into another project: ``model`` and ``attention``,
``corpus`` and ``batches``, ``step`` (what happens between two optimizer steps), ``checkpoint``, and
``loop``, which joins them.
"""
