"""The state of a machine: looked at here, taken along, and judged elsewhere."""
