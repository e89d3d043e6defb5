"""Reports → what of them fails a job: selection, suppressions, baselines."""
