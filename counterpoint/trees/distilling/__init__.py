"""Learning one model, or choosing one member, from the answers of an ensemble."""
