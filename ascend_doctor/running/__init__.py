"""Jobs while they run: their output is passed on, their logs are followed."""
