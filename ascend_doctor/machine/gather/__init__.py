"""The sources of a machine's state, one module each; none runs what it reads."""
