"""What more data would mend and what it would not: a split of the ensemble's uncertainty.

Each member is a belief about the truth. Members that disagree know too little; members that agree
on being unsure know that nobody could know more. For a Bregman loss B and the mean belief ``m`` of
the members ``p_i``, at every sample and exactly::

    E B(y, m), y ~ m  =  mean_i E B(y, p_i), y ~ p_i  +  mean_i B(p_i, m)
         total        =            noise              +     disagreement

For cross-entropy: entropy of the mean, mean entropy, and the mutual information between them.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from counterpoint._ballot import member_mean
from counterpoint._outputs import MemberOutputs
from counterpoint._predictions import MemberPredictions
from counterpoint.decomposition.losses import DEFAULT_EPS, BregmanLoss, get_loss
from counterpoint.trust.inputs import need_outputs, need_predictions


@dataclass(frozen=True, kw_only=True, eq=False)
class UncertaintyParts:
    """Uncertainty of an ensemble about each sample: ``total = noise + disagreement``.

    Attributes
    ----------
    total, noise, disagreement : ndarray of shape (n_samples,)
        Expected loss of the mean belief, by itself; what would be left if all members were of one
        mind; what comes from their differences.
    loss : str
    """

    total: NDArray
    noise: NDArray
    disagreement: NDArray
    loss: str

    def table(self) -> pd.DataFrame:
        """Return a row per sample."""
        parts = {"total": self.total, "noise": self.noise, "disagreement": self.disagreement}
        return pd.DataFrame(parts)


def split_uncertainty(
    outputs: MemberOutputs | MemberPredictions,
    *,
    loss: "str | BregmanLoss" = "cross-entropy",
    reference: MemberPredictions | None = None,
) -> UncertaintyParts:
    """Split how unsure an ensemble is into noise and disagreement.

    Parameters
    ----------
    outputs : MemberOutputs or MemberPredictions
        Probabilities, or, without these, votes: each a belief without doubt, so that all
        uncertainty is disagreement. Numbers of regressors need ``reference``.
    loss : {"cross-entropy", "squared", "logistic"} or BregmanLoss, default="cross-entropy"
        From :data:`counterpoint.decomposition.LOSSES`. "squared" is the Brier score of the class
        probabilities (of regressors the squared error); "logistic" is for two classes.
    reference : MemberPredictions, default=None
        Of regressors, with ``y``: numbers say nothing of noise, so that it is what the reference's
        squared error leaves beyond its spread, the same for all samples, and 0 at least.

    Returns
    -------
    UncertaintyParts

    References
    ----------
    .. [1] D. Wood et al., "A unified theory of diversity in ensemble learning", JMLR 24, 2023, for
       the decomposition of the loss; here the target is what the ensemble believes.
    .. [2] S. Depeweg, J. M. Hernandez-Lobato, F. Doshi-Velez and S. Udluft, "Decomposition of
       uncertainty in Bayesian deep learning", ICML 2018, for entropy and variance.

    Examples
    --------
    Two members that are sure and differ, and two that agree on a coin:

    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.trust import split_uncertainty
    >>> sure, coin = [[[1, 0], [0.5, 0.5]], [[0, 1], [0.5, 0.5]]]
    >>> proba = [[[1, 0], [0.5, 0.5]], [[0, 1], [0.5, 0.5]]]
    >>> split_uncertainty(MemberOutputs(proba=proba), loss="squared").table()
       total  noise  disagreement
    0    0.5    0.0           0.5
    1    0.5    0.5           0.0
    """
    bregman = get_loss(loss)
    if isinstance(outputs, MemberPredictions):
        return _of_numbers(outputs, reference)
    need_outputs(outputs, "outputs")
    if reference is not None:
        raise ValueError("reference= is for numbers of regressors: probabilities tell their noise.")
    proba = outputs.proba
    if proba is None:
        proba = np.eye(outputs.n_classes)[outputs.votes]
    beliefs = np.asarray(proba, dtype=float)
    if not bregman.vector and bregman.name == "logistic":
        if outputs.n_classes != 2:
            raise ValueError(
                f"loss='logistic' is of two classes, but there are {outputs.n_classes}: take "
                "'cross-entropy'."
            )
        beliefs = beliefs[:, :, 1]
    mean = member_mean(beliefs, outputs.weights)
    noise = member_mean(np.stack([_entropy(bregman, own) for own in beliefs]), outputs.weights)
    total = _entropy(bregman, mean)
    return UncertaintyParts(
        total=total, noise=noise, disagreement=np.maximum(total - noise, 0.0), loss=bregman.name
    )


def _entropy(loss: BregmanLoss, belief: NDArray) -> NDArray:
    """Return the expected loss ``E B(y, q)`` of a belief q that is right about itself.

    That is ``E phi(y) - phi(q)``; outcomes are corners of the simplex.
    """
    if loss.vector:
        corners = np.eye(belief.shape[-1])
        at_corners = np.array([float(loss.generator(c)) for c in corners])
        return np.maximum(belief @ at_corners - loss.generator(_inside(loss, belief)), 0.0)
    if loss.name == "logistic":
        return np.maximum(-loss.generator(_inside(loss, belief)), 0.0)
    if loss.name != "squared":
        raise ValueError(
            f"loss={loss.name!r} is of numbers, not of classes: take 'cross-entropy', 'squared', "
            "'logistic' or a BregmanLoss with vector=True."
        )
    return 1.0 - (belief**2).sum(axis=-1)


def _inside(loss, belief):
    low, high = loss.domain
    return np.clip(belief, low + DEFAULT_EPS, high - DEFAULT_EPS) if np.isfinite(low) else belief


def _of_numbers(outputs, reference):
    if reference is None:
        raise ValueError(
            "Numbers say nothing of noise: pass reference=, MemberPredictions with y on samples "
            "the members were not trained on."
        )
    need_predictions(reference, "reference", truth=True)
    spread = _variance(outputs)
    gap = (member_mean(reference.values, reference.weights) - reference.y) ** 2
    left = np.average(gap - _variance(reference), weights=reference.sample_weight)
    noise = np.full(outputs.n_samples, max(float(left), 0.0))
    return UncertaintyParts(
        total=noise + spread, noise=noise, disagreement=spread, loss="squared"
    )  # fmt: skip


def _variance(outputs):
    mean = member_mean(outputs.values, outputs.weights)
    return member_mean((outputs.values - mean) ** 2, outputs.weights)
