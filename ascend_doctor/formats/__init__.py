"""The grammars of what software prints, and the record around a place in the text."""
