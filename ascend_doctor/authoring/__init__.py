"""What rule authors need: rules tried on their examples, patterns attacked, new files begun."""
