"""Experiments: a question, its data, the runs that answer it; results are plain objects.

============== ====================================================================
``demo``       three ensembles on a shipped data set, and how their members disagree
``protocol``   what an experiment, a cell and a claim are
``store``      finished cells, in one file
``runner``     cells that are not done yet, here or on a cluster
``judged``     what a store says about a claim
``claims``     the claims by id; ``sources_*`` and ``_th_*`` have them, a source a file
``methods``    the learners that can be asked for by name
``columns``    kinds of columns, and what may be a target
``fitting``    one method on one table; ``comparing`` several
============== ====================================================================
"""
