"""Experiments: a question, its data, the runs that answer it; results are plain objects.

``demo`` trains three ensembles on a shipped data set and measures how their members disagree.
"""
