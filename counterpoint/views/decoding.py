"""From what the members say about bits to classes."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from counterpoint._arrays import as_floats
from counterpoint._validation import check_choice
from counterpoint.views.code_design import check_code

DECODINGS = ("hard", "soft", "loss")
LOSSES = {
    "exponential": lambda margin: np.exp(-np.clip(margin, -50, 50)),
    "logistic": lambda margin: np.logaddexp(0.0, -2.0 * margin),
    "hinge": lambda margin: np.maximum(0.0, 1.0 - margin),
}


def code_distances(
    answers: ArrayLike, code: ArrayLike, *, decoding: str = "soft", loss: str = "exponential"
) -> NDArray:
    """Return how far the answers to each sample are from each class's codeword.

    Parameters
    ----------
    answers : array-like of shape (n_bits, n_samples)
        For "hard" bits, 0 or 1. For "soft" probabilities of a 1. For "loss" margins: positive
        for a 1, negative for a 0.
    code : array-like of shape (n_classes, n_bits)
        0 and 1.
    decoding : {"hard", "soft", "loss"}, default="soft"
        "hard": the number of bits that differ (Hamming). "soft": the sum of differences between
        probabilities and codeword. "loss": the sum of losses of the margins, times 1 where the
        codeword has a 1 and times -1 where it has a 0.
    loss : {"exponential", "logistic", "hinge"}, default="exponential"
        For "loss".

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        The class with the smallest is the answer.

    References
    ----------
    .. [1] E. Allwein, R. Schapire and Y. Singer, "Reducing multiclass to binary: a unifying
       approach for margin classifiers", JMLR 1, 2000: loss-based decoding.

    Examples
    --------
    >>> from counterpoint.views import code_distances, exhaustive_code
    >>> code_distances([[1], [0], [0]], exhaustive_code(3), decoding="hard").tolist()
    [[1.0, 3.0, 1.0]]
    """
    code = check_code(code)
    check_choice(decoding, "decoding", DECODINGS)
    answers = as_floats(answers, "answers", ("n_bits", "n_samples"))
    if answers.ndim != 2 or len(answers) != code.shape[1]:
        raise ValueError(
            f"answers has shape {answers.shape}, expected ({code.shape[1]}, n_samples): a row for "
            "each bit of the code."
        )
    ones = code.astype(float)
    if decoding == "loss":
        check_choice(loss, "loss", tuple(LOSSES))
        lost = LOSSES[loss]
        return lost(answers).T @ ones.T + lost(-answers).T @ (1 - ones).T
    if (answers < 0).any() or (answers > 1).any() or np.isnan(answers).any():
        raise ValueError(
            "answers holds numbers outside 0 to 1: for margins choose decoding='loss'."
        )
    # |p - c| is 1 - p where c is 1 and p where it is 0.
    return (1 - answers).T @ ones.T + answers.T @ (1 - ones).T


def distances_to_proba(distances, code, decoding):
    """Turn distances into probabilities in the same order.

    For "hard" and "soft" 1 - distance / D, cut at 0, where D is the mean distance of two
    codewords. If all codewords are D apart and members say the true probability that a bit is 1,
    the distance of class k is D (1 - P(k)): this is then P(k) itself. For "loss" the shares
    of exp(-distance).
    """
    if decoding == "loss":
        return softmax(-distances, axis=1)
    n = len(code)
    apart = np.abs(code[:, None].astype(float) - code[None]).sum(axis=2)
    mean = apart.sum() / (n * (n - 1))
    nearest = distances.min(axis=1, keepdims=True)
    # So far from all codewords that none is left: the nearest are taken.
    reach = np.where(nearest < mean, mean, nearest + 1.0)
    support = np.maximum(reach - distances, 0.0)
    return support / support.sum(axis=1, keepdims=True)
