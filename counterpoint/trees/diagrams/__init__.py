"""Decision diagrams: trees whose branches may meet again, for decisions that no tree holds."""
