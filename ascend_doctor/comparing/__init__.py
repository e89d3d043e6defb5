"""Two runs side by side: what one has that the other has not."""
