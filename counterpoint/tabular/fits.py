"""Fits, comparisons and single trees as plain data: what the terminal shows and JSON holds."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from counterpoint.tabular.plain import DEMO_MEASURES, plain

if TYPE_CHECKING:
    from counterpoint.tabular.comparison import Comparison
    from counterpoint.tabular.explanation import OneTree
    from counterpoint.tabular.training import FittedTable

__all__ = ["summarise_comparison", "summarise_fit", "summarise_tree"]


def summarise_fit(fitted: "FittedTable", *, source: str) -> dict[str, Any]:
    """Summarise a fitted table: sizes, errors, diversity, what each member is worth.

    Parameters
    ----------
    fitted : FittedTable
    source : str
        Where the table came from.

    Returns
    -------
    dict
        Ready for JSON; undefined is None. ``diversity``, ``verdict`` and ``members`` are None for
        a model without members, ``leaderboard`` for all methods but ``auto``.
    """
    measures = fitted.profile
    return plain(
        {
            "source": source,
            "method": fitted.method,
            "target": fitted.target,
            "classes": fitted.classes,
            "columns": [{"name": c.name, "kind": c.kind} for c in fitted.columns],
            "left_out": fitted.left_out,
            "n_train": len(fitted.y_train),
            "n_test": len(fitted.y_test),
            "test_size": fitted.test_size,
            "random_state": fitted.random_state,
            "seconds": fitted.seconds,
            "score": asdict(fitted.score),
            "baselines": {name: asdict(score) for name, score in fitted.baselines.items()},
            "n_members": None if fitted.outputs is None else fitted.outputs.n_members,
            "diversity": None
            if measures is None
            else {str(name): row.to_dict() for name, row in measures.iterrows()},
            "shown": list(DEMO_MEASURES),
            "verdict": None if fitted.worth is None else fitted.worth.verdict,
            "members": _records(fitted.members),
            "leaderboard": _records(fitted.leaderboard),
            "notes": fitted.notes,
        }
    )


def summarise_comparison(found: "Comparison", *, source: str, target: str) -> dict[str, Any]:
    """Summarise a comparison of methods.

    Parameters
    ----------
    found : Comparison
    source, target : str
        Where the table came from, and the column predicted.

    Returns
    -------
    dict
        Ready for JSON.
    """
    return plain(
        {
            "source": source,
            "target": target,
            "n_rows": found.n_rows,
            "n_classes": found.n_classes,
            "asked": found.asked,
            "interrupted": found.interrupted,
            "methods": _records(found.table),
            "errors": found.errors.to_dict(orient="list"),
            "notes": found.notes,
        }
    )


def summarise_tree(tree: "OneTree", *, source: str) -> dict[str, Any]:
    """Summarise the tree that stands for a model.

    Parameters
    ----------
    tree : OneTree
        From :func:`counterpoint.tabular.explanation.one_tree`.
    source : str
        The model it stands for.

    Returns
    -------
    dict
        Ready for JSON.
    """
    return plain(
        {
            "source": source,
            "method": tree.method,
            "fidelity": tree.fidelity,
            "error": tree.error,
            "model_error": tree.ensemble_error,
            "n_leaves": tree.n_leaves,
            "n_fit": tree.n_fit,
            "n_held": tree.n_held,
            "n_trees": tree.n_trees,
            "n_members": tree.n_members,
            "classes": tree.classes,
            "sizes": tree.sizes,
            "rules": tree.rules,
        }
    )


def _records(frame: Any) -> list[dict[str, Any]] | None:
    return None if frame is None else frame.to_dict(orient="records")
