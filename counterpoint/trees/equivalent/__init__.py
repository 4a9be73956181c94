"""One tree that decides as an ensemble of trees does, exactly or on a sample of its cells."""
