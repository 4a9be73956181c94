"""Questions about members and rows; each is a call of a function of the packages below."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from counterpoint._tables import select_rows
from counterpoint.studio import making, painting, paths, scripts
from counterpoint.studio.ensembles import NumberEnsemble
from counterpoint.tabular.members import cell_values, evenly
from counterpoint.tabular.plain import plain
from counterpoint.tabular.row_reasons import nearest_rows
from counterpoint.tabular.small_tree import cut_back, error_of, rules_of, tree_nodes

if TYPE_CHECKING:
    from counterpoint.studio.session import Session

Data = dict[str, Any]
# Members that a matrix can show one by one.
MOST_PAIRED = 250
_ROWS_LISTED = 24
_NEAREST = 5
_DIGITS = 4


def state(session: "Session", data: Data) -> Data:
    """Say what is open."""
    source, table, ensemble = session.source, session.table, session.ensemble
    return {
        "version": session.version,
        "name": "" if source is None else source.name,
        "changed": source is not None and source.has_changed,
        "table": None if table is None else {"n_rows": len(table.frame), "target": session.target},
        "columns": [] if table is None else [str(name) for name in table.frame.columns],
        "ensemble": ensemble is not None,
        "busy": session.job is not None and not session.job.is_over,
    }


def read_again(session: "Session", data: Data) -> Data:
    """Read the file again, as it is now."""
    session.read_again()
    return state(session, data)


def members(session: "Session", data: Data) -> Data:
    """Say who is there, how each errs, and how every two agree."""
    ensemble = session.need_ensemble()
    outputs = ensemble.outputs
    shown = evenly(outputs.n_members, MOST_PAIRED)
    pairs = ensemble.pairs(shown) if len(shown) > 1 else None
    values = None
    if pairs is not None:  # back in the order of the members: the page sorts those alike
        place = np.argsort(pairs["order"])
        values = np.round(pairs["values"][np.ix_(place, place)], _DIGITS)
    own = ensemble.own
    return plain(
        {
            "names": outputs.names,
            "errors": [float(f"{error:.6g}") for error in ensemble.errors],
            "n_samples": outputs.n_samples,
            **ensemble.kind(),
            "rules": ensemble.what.rules,
            "simplest": ensemble.what.simplest,
            "own": None if own is None else np.round(own.shares(outputs), 6),
            "shown": shown,
            "alike": values,
            "order": None if pairs is None else pairs["order"],
            "has_model": ensemble.model is not None,
            "method": "" if ensemble.model is None else ensemble.model.method,
        }
    )


def judge(session: "Session", data: Data) -> Data:
    """Judge a rule and weights."""
    return session.need_ensemble().what.judge(data["rule"], data.get("weights"))


def brush(session: "Session", data: Data) -> Data:
    """Say what some members are together, and which rows they disagree about."""
    what = session.need_ensemble().what
    chosen = np.asarray(data["members"], dtype=int)
    if len(chosen) == 0:
        raise ValueError("members: give at least one.")
    weights = np.isin(np.arange(what.outputs.n_members), chosen).astype(int)
    told = what.judge(what.simplest, weights)
    return {
        "error": told["error"], "low": told["low"], "high": told["high"],
        "rows": what.disputed(chosen, _ROWS_LISTED),
    }  # fmt: skip


def best(session: "Session", data: Data) -> Data:
    """Choose the best of some members."""
    return session.need_ensemble().what.best(data.get("members"))


def growth(session: "Session", data: Data) -> Data:
    """Say how the error falls as members join."""
    return session.need_ensemble().what.growth()


def thresholds(session: "Session", data: Data) -> Data:
    """Say what other thresholds would bring."""
    costs = {name: float(data.get(name, 1.0)) for name in ("fn", "fp")}
    if not all(0 <= cost < 1e12 for cost in costs.values()):
        raise ValueError("fn and fp: give costs from 0.")
    ensemble = session.need_ensemble()
    if isinstance(ensemble, NumberEnsemble):
        raise ValueError("A threshold is for two classes, and these are numbers.")
    return ensemble.what.thresholds(data["rule"], data.get("weights"), **costs)


def row(session: "Session", data: Data) -> Data:
    """Say of one row who said what, how sure, and what is near it."""
    ensemble = session.need_ensemble()
    outputs, model, X = ensemble.outputs, ensemble.model, ensemble.X
    at = int(data["row"])
    if not 0 <= at < outputs.n_samples:
        raise ValueError(f"row={at}: give one from 0 to {outputs.n_samples - 1}.")
    told: Data = {
        "row": at,
        **ensemble.said(at),
        "values": [],
        "nearest": [],
        "path": None,
    }
    if X is None or model is None:
        return plain(told)
    every = list(range(X.shape[1]))
    texts = cell_values(X, at, every)
    told["values"] = [
        {"name": str(name), "text": one["text"]} for name, one in zip(X.columns, texts, strict=True)
    ]
    one = select_rows(X, [at])
    if model.X_train is not None and model.y_train is not None:
        rows, far = nearest_rows(one, model.X_train, _NEAREST)
        told["nearest"] = [
            {
                "label": _said(model.y_train[r]), "distance": float(d),
                "values": [one["text"] for one in cell_values(model.X_train, int(r), every)],
            }
            for r, d in zip(rows[0], far[0], strict=True)
        ]  # fmt: skip
    if "tree" in ensemble.__dict__ or data.get("tree"):  # it takes a while to make
        tree = ensemble.tree.table_tree
        told["path"] = tree.path(one)
        told["tree_says"] = _said(tree.predict(one)[0])
    return plain(told)


def tree(session: "Session", data: Data) -> Data:
    """Return one tree in place of the model, cut back to some leaves."""
    ensemble = session.need_ensemble()
    one = ensemble.tree
    leaves = int(data.get("leaves") or min(one.n_leaves, 8))
    shown = cut_back(one.table_tree, max(1, min(leaves, one.n_leaves)))
    told: Data = {
        "n_leaves": one.n_leaves, "sizes": one.sizes, "sentences": one.sentences(),
        "model_error": one.model_error, "nodes": tree_nodes(shown), "rules": rules_of(shown),
    }  # fmt: skip
    assert ensemble.X is not None
    at = shown.apply(ensemble.X)
    told["shown"] = {
        "n_leaves": shown.tree.n_leaves,
        "error": error_of(shown.says()[at], ensemble.truth, shown.classes),
        "n_rows": len(at),
    }
    told["rows_at"] = np.bincount(at, minlength=shown.tree.node_count)
    return plain(told)


def leaf(session: "Session", data: Data) -> Data:
    """List the rows that lie in a leaf of the tree cut back to so many leaves."""
    ensemble = session.need_ensemble()
    one = ensemble.tree
    shown = cut_back(one.table_tree, max(1, min(int(data["leaves"]), one.n_leaves)))
    assert ensemble.X is not None
    rows = np.flatnonzero(shown.apply(ensemble.X) == int(data["leaf"]))
    return {"n_rows": len(rows), "rows": ensemble.what.rows(rows[:_ROWS_LISTED])}


def _said(answer: Any) -> str:
    """Return a label as it is, a number with the digits that people read."""
    if isinstance(answer, float):
        return f"{answer:.6g}".replace("-", "\N{MINUS SIGN}")
    return str(answer)


QUESTIONS: dict[str, Callable[["Session", Data], Data]] = {
    "state": state,
    "read_again": read_again,
    "members": members,
    "judge": judge,
    "brush": brush,
    "best": best,
    "growth": growth,
    "thresholds": thresholds,
    "row": row,
    "tree": tree,
    "leaf": leaf,
    "columns": making.columns,
    "fit": making.fit,
    "stop": making.stop,
    "path": paths.path,
    "paint": painting.paint,
    "script": scripts.script,
}
"""All that can be asked, by name: a new question is a function and a line here."""
