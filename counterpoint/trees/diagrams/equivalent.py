"""Melt a fitted ensemble of trees into a decision diagram: :func:`equivalent_diagram`."""

from typing import Any

import numpy as np

from counterpoint._validation import check_count, check_flag
from counterpoint.trees.diagrams.known import drop_known
from counterpoint.trees.diagrams.melting import Melting, TooLargeError
from counterpoint.trees.diagrams.structure import DecisionDiagram
from counterpoint.trees.equivalent.exact import pack
from counterpoint.trees.take import take_trees


def equivalent_diagram(
    pool: Any, *, free: bool | None = None, max_nodes: int = 100_000
) -> DecisionDiagram:
    """Melt a fitted ensemble of trees into a decision diagram with the same decisions.

    The trees are asked one after the other, and ways after which the rest would be the same meet
    again. For votes, there are never more questions than trees times their nodes times the votes
    cast so far, however large a single tree would be. Gossen and Steffen [1]_ and Murtovi
    et al. [2]_ make diagrams of forests in the same spirit; ranges of scores with the same end
    are found as in [3]_. :func:`certify` proves the result.

    Parameters
    ----------
    pool : fitted ensemble of trees, list of trees, or TreeEnsemble
        What :func:`counterpoint.trees.take_trees` takes.
    free : bool or None, default=None
        True: no way asks what it knows already, so that every way can be walked. False: a later
        tree may ask again, which ways to it did not settle alike; with votes that makes far fewer
        nodes. None: whichever has fewer.
    max_nodes : int, default=100_000
        Most questions, while it is made.

    Returns
    -------
    DecisionDiagram

    Raises
    ------
    ValueError
        If there would be more questions.

    Notes
    -----
    Decisions are those of :func:`equivalent_tree`: the class with the highest score, the first of
    equals, rounding included, at every sample without missing values.

    References
    ----------
    .. [1] F. Gossen and B. Steffen, "Algebraic aggregation of random forests: towards
       explainability and rapid evaluation", International Journal on Software Tools for
       Technology Transfer 25, 2023 (online 2021).
    .. [2] A. Murtovi, A. Bainczyk, G. Nolte, M. Schlueter and B. Steffen, "Forest GUMP: a tool for
       verification and explanation", International Journal on Software Tools for Technology
       Transfer 25, 2023.
    .. [3] I. Abio, R. Nieuwenhuis, A. Oliveras, E. Rodriguez-Carbonell and V. Mayer-Eichberger,
       "A new look at BDDs for pseudo-Boolean constraints", Journal of Artificial Intelligence
       Research 45, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.trees import certify, equivalent_diagram, take_trees
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, y)
    >>> votes = take_trees(list(forest.estimators_))
    >>> diagram = equivalent_diagram(votes)
    >>> certify(diagram, votes).equal
    True
    """
    if free is not None:
        check_flag(free, "free", hint=", or None")
    check_count(max_nodes, "max_nodes")
    trees = take_trees(pool)
    packed = pack(trees)
    n_cuts = np.diff(packed.first)
    best, most = None, int(max_nodes)
    # Whole numbers come to few scores, so that asking again is cheap; others do not.
    kinds = (False, True) if not packed.slack else (True, False)
    for is_free in kinds if free is None else (bool(free),):
        try:
            asked, root = Melting(packed, free=is_free, max_nodes=most).run()
        except TooLargeError:
            continue
        if not is_free:
            asked, root = drop_known(asked, root, n_cuts)
        if best is None or len(asked) < len(best[0]):
            best = asked, root
            most = max(len(asked), 1)
    if best is None:
        raise ValueError(
            f"The diagram has more than max_nodes={max_nodes} questions: raise the limit, take "
            "fewer or smaller trees, or let the trees vote, take_trees(list(forest.estimators_)), "
            "which has fewer scores to tell apart than averages of probabilities."
        )
    asked, root = best
    table = np.array(asked, dtype=np.int64).reshape(-1, 4)
    return DecisionDiagram(
        feature=packed.columns[table[:, 0]].astype(np.int32),
        threshold=packed.cuts[packed.first[table[:, 0]] + table[:, 1]],
        low=table[:, 2].astype(np.int32),
        high=table[:, 3].astype(np.int32),
        root=root,
        classes=trees.classes,
        n_features=trees.n_features,
        feature_names=trees.feature_names,
        dtype=trees.dtype,
    )
