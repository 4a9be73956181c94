"""Classic data sets, generators with a known best error, and the standard encoding.

``load`` a set by its name; ``list_datasets`` and ``describe`` tell what there is, ``add_file`` puts
a CSV of your own into the ``data_folder``, ``export_csv`` writes a set. ``TabularEncoder`` turns a
mixed frame into numbers. Of the ``make_*`` problems ``bayes_error``, ``bayes_posterior`` and
``bayes_predict`` tell the best possible error, probabilities and prediction; ``make_votes`` and
``make_judges`` are voters whose truth is known. Nothing is ever downloaded unless ``fetch=True``
asks for it.
"""

from typing import TYPE_CHECKING

from counterpoint._doors import door

if TYPE_CHECKING:
    from counterpoint.datasets.bayes import bayes_error, bayes_posterior, bayes_predict
    from counterpoint.datasets.catalogue import describe, list_datasets
    from counterpoint.datasets.encoding import TabularEncoder
    from counterpoint.datasets.folder import add_file, data_folder
    from counterpoint.datasets.loading import export_csv, load
    from counterpoint.datasets.synthetic import (
        make_cone_torus,
        make_ripley,
        make_two_gaussians,
        make_waveform,
    )
    from counterpoint.datasets.voters import make_judges, make_votes

# Where each name lives. Imported at first use: pandas and scikit-learn take a second to import.
_HOMES = {
    "bayes": ("bayes_error", "bayes_posterior", "bayes_predict"),
    "catalogue": ("describe", "list_datasets"),
    "encoding": ("TabularEncoder",),
    "folder": ("add_file", "data_folder"),
    "loading": ("export_csv", "load"),
    "synthetic": ("make_cone_torus", "make_ripley", "make_two_gaussians", "make_waveform"),
    "voters": ("make_judges", "make_votes"),
}

__all__ = [
    "TabularEncoder",
    "add_file",
    "bayes_error",
    "bayes_posterior",
    "bayes_predict",
    "data_folder",
    "describe",
    "export_csv",
    "list_datasets",
    "load",
    "make_cone_torus",
    "make_judges",
    "make_ripley",
    "make_two_gaussians",
    "make_votes",
    "make_waveform",
]

__getattr__, __dir__, _ = door(__name__, _HOMES)
