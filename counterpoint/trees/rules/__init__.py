"""Trees as rules: read them, and merge the rules of many trees into one set."""
