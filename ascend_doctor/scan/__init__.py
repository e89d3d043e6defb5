"""Text → hits → findings of one source, as facts that can be merged."""
