"""A trainer for sequences of varying length, guards for others' trainers, and proofs by experiment.

The only part that imports torch, which ``pip install "ascend-doctor[harness]"`` brings along. It
knows nothing of how logs are read: it runs ``ascend-doctor analyze`` and reads its JSON, as anyone
may.
"""
