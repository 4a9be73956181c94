"""Experiments: a question, its data, the runs that answer it; results are plain objects.

============== ====================================================================
``protocol``   what an experiment, a cell and a claim are
``store``      finished cells, in one file
``runner``     cells that are not done yet, here or on a cluster
``judged``     what a store says about a claim
``claims``     the claims by id; ``sources_*`` and ``_th_*`` have them, a source a file
============== ====================================================================

``reproductions`` shows the claims run again: page, tables, pictures.
"""
