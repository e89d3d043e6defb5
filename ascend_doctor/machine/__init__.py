"""What a machine has installed, set and plugged in: a plain model, read from files and judged."""
