"""Peers and counterpoint side by side: each benchmark runs both in one run and prints the ratio."""
