"""What the leaves of an ensemble say, fitted together after the trees were grown."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.tree import DecisionTreeClassifier

from counterpoint._arrays import check_sample_weight, encode_labels
from counterpoint._kernels import trees as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._reading import check_labels
from counterpoint._validation import check_choice, check_count, check_flag, check_number
from counterpoint.combiners.simplex import project_to_simplex
from counterpoint.trees.ensemble import TreeEnsemble, predict_trees, stack_trees
from counterpoint.trees.structure import Tree, class_shares
from counterpoint.trees.take import take_trees

# So much of the mean shares is even, in the logarithm: a class that the ensemble ruled out costs
# much, but not infinitely.
_EVEN = 1e-3
# A step that made things worse is halved at most so often before the search ends.
_HALVINGS = 60


def refine_leaves(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    loss: str = "squared",
    n_steps: int = 50,
    tol: float = 1e-6,
    return_losses: bool = False,
) -> Any:
    """Fit the class shares in all leaves together, by gradient steps on the loss of the ensemble.

    A leaf of a forest says how the classes were shared among its own samples, whatever the
    other trees say there. Here the structure of the trees stays and the shares change, so that
    the weighted mean of the trees fits the data. After each step the shares of a leaf are put
    back to the nearest that are not negative and add up to 1. A step that does not lower the
    loss is not taken.

    [1]_ takes stochastic steps without bounds on the values; full steps with bounds keep
    ``predict_proba`` a matter of probabilities. Good for few or small trees, after pruning or
    merging. Trees grown to the end on the same data have no errors left to learn from: refine
    them on other data, or refine shallow ones.

    Parameters
    ----------
    model : estimator, TreeEnsemble or Tree
        A fitted tree, random forest, extra trees, bagging or soft voting of trees; or any
        :class:`TreeEnsemble`, whose trees then add shares. Ensembles that vote have no use for
        shares in their own ``predict``: pass ``take_trees(model)``.
    X : array-like of shape (n_samples, n_features)
        Best data that the trees were not grown on, or not to the end.
    y : array-like of shape (n_samples,)
        Labels; for a Tree positions of classes.
    sample_weight : array-like of shape (n_samples,), default=None
    loss : {"squared", "log"}, default="squared"
        Of the mean shares: squared distance from the label, or minus the logarithm of the share
        of the label after mixing in 0.1 % of equal shares.
    n_steps : int, default=50
        Most steps. Fewer stay nearer to the trees as they were grown.
    tol : float, default=1e-6
        Stop when a step lowers the loss by less than this share of it.
    return_losses : bool, default=False
        Also return the loss at the start and after each step.

    Returns
    -------
    model
        A copy of the same kind with other values in its leaves.
    losses : ndarray of shape (n_steps_taken + 1,)
        Only if asked for. Never rising.

    References
    ----------
    .. [1] S. Buschjaeger and K. Morik, "Improving the Accuracy-Memory Trade-Off of Random Forests
       Via Leaf-Refinement", arXiv:2110.10075, 2021.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.trees import refine_leaves
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, y)
    >>> refined, losses = refine_leaves(forest, X, y, return_losses=True)
    >>> bool(losses[-1] < losses[0]), type(refined).__name__
    (True, 'RandomForestClassifier')
    """
    check_choice(loss, "loss", ("squared", "log"))
    check_count(n_steps, "n_steps")
    check_number(tol, "tol", low=0)
    check_flag(return_losses, "return_losses")
    ensemble = take_trees(model)
    if not isinstance(model, Tree | TreeEnsemble):
        _check_model(model, ensemble)
    if ensemble.kind == "scores":
        raise ValueError("These trees add up to scores; only class shares can be refined.")
    rows = ensemble.check_rows(X)
    codes = encode_labels(check_labels(y, len(rows)), ensemble.classes, "y", from_truth=False)
    weight = check_sample_weight(sample_weight, len(rows))
    weight = np.full(len(rows), 1 / len(rows)) if weight is None else weight / weight.sum()

    stacked = stack_trees(ensemble.trees)
    leaves = predict_trees(stacked, rows, kind="leaves") + stacked.roots[:, None]
    mix = ensemble.weights / ensemble.weights.sum()
    shares = class_shares(stacked.value)
    with threads_for(leaves.size * shares.shape[1]):
        shares, losses = _descend(shares, leaves, mix, codes, weight, loss, n_steps, tol)
    trees = []
    for tree, root in zip(ensemble.trees, stacked.roots, strict=True):
        own = shares[root : root + tree.node_count]
        held = np.where(tree.weighted_n_node_samples > 0, tree.weighted_n_node_samples, 1.0)
        value = np.where(tree.is_leaf[:, None], own * held[:, None], tree.value)
        trees.append(replace(tree, value=value))
    refined = _put_back(model, replace(ensemble, trees=tuple(trees), kind="shares"))
    return (refined, losses) if return_losses else refined


def _descend(shares, leaves, mix, codes, weight, loss, n_steps, tol):
    target = (np.arange(shares.shape[1]) == codes[:, None]).astype(float)
    mean = kernels.gather(leaves, shares, mix)
    losses = [_loss(mean, target, weight, loss)]
    step = 1.0
    for _ in range(n_steps):
        slope = kernels.scatter(leaves, _slope(mean, target, weight, loss), mix, len(shares))
        for _ in range(_HALVINGS):
            tried = project_to_simplex(shares - step * slope)
            tried_mean = kernels.gather(leaves, tried, mix)
            value = _loss(tried_mean, target, weight, loss)
            # Sufficient decrease: the step is as good as the slope promised, half of it at least.
            if value <= losses[-1] - ((tried - shares) ** 2).sum() / (2 * step):
                break
            step /= 2
        else:
            break
        if value >= losses[-1]:
            break
        shares, mean = tried, tried_mean
        losses.append(value)
        if losses[-2] - value <= tol * losses[-2]:
            break
        step *= 2
    return shares, np.array(losses)


def _loss(mean, target, weight, loss):
    if loss == "squared":
        return float(weight @ ((mean - target) ** 2).sum(axis=1))
    return float(-(weight @ np.log(_even_out(mean, target))))


def _slope(mean, target, weight, loss):
    if loss == "squared":
        return 2 * weight[:, None] * (mean - target)
    return -(1 - _EVEN) * (weight / _even_out(mean, target))[:, None] * target


def _even_out(mean, target):
    return (1 - _EVEN) * (mean * target).sum(axis=1) + _EVEN / mean.shape[1]


_WHOLE = (RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier, VotingClassifier)


def _check_model(model, ensemble):
    name = type(model).__name__
    alone = isinstance(model, DecisionTreeClassifier) or hasattr(type(model), "_with_tree")
    if not alone and not isinstance(model, _WHOLE):
        raise TypeError(
            f"A {name} cannot hold refined leaves. Refine its trees: "
            "refine_leaves(take_trees(model), X, y)."
        )
    if ensemble.kind != "shares":
        raise TypeError(
            f"This {name} counts votes, which shares in leaves hardly change. Refine its trees: "
            "refine_leaves(take_trees(model), X, y)."
        )
    members = [model] if alone else model.estimators_
    if any(len(member.classes_) != ensemble.n_classes for member in members):
        raise TypeError(
            f"Some trees of this {name} know a part of the classes only, and cannot hold shares "
            "of the others. Refine copies: refine_leaves(take_trees(model), X, y)."
        )


def _put_back(model, refined):
    if isinstance(model, TreeEnsemble):
        return refined
    if isinstance(model, Tree):
        return refined.trees[0]
    if hasattr(type(model), "_with_tree"):
        return model._with_tree(refined.trees[0], model.classes_)
    made = deepcopy(model)
    members = [made] if isinstance(made, DecisionTreeClassifier) else made.estimators_
    for k, (member, tree) in enumerate(zip(members, refined.trees, strict=True)):
        if isinstance(member, DecisionTreeClassifier):
            member.tree_.value[:, 0, :] = class_shares(tree.value)
        else:
            members[k] = member._with_tree(tree, member.classes_)
    return made
