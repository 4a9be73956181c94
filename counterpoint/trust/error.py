"""How wrong am I on these new rows? The error of an ensemble, estimated without labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from counterpoint._predictions import MemberPredictions
from counterpoint._typing import Seed
from counterpoint._validation import check_choice, check_count, check_list, check_number
from counterpoint.trust.drift import detect_shift
from counterpoint.trust.error_methods import (
    METHODS,
    ErrorMethod,
    Seen,
    calibrated,
    calibrations,
)
from counterpoint.trust.error_parts import (
    FEWEST,
    TRIALS,
    ErrorEstimate,
    changed,
    limits,
    redrawn,
    root_mean_square,
)
from counterpoint.trust.inputs import check_same, need_outputs
from counterpoint.trust.number_error import number_error


def estimate_error(
    reference: Any,
    new: Any,
    *,
    methods: Sequence[str | ErrorMethod] | None = None,
    X_reference: Any = None,
    X_new: Any = None,
    confidence: float = 0.95,
    n_draws: int = 50,
    random_state: Seed = None,
) -> ErrorEstimate:
    """Estimate the error of an ensemble on new rows whose truth nobody knows.

    Parameters
    ----------
    reference : MemberOutputs or MemberPredictions
        With ``y``, on rows that no member was trained on.
    new : MemberOutputs or MemberPredictions
        Of the same members. ``y`` is not looked at.
    methods : list of str or ErrorMethod, default=None
        From "disagreement" (the generalisation disagreement equality [1]_), "agreement-line" [2]_,
        "confidence" (calibrated, as NannyML's CBPE), "threshold" (average thresholded confidence
        [3]_), "class-shift" (confidence under shares of classes found by EM), or your own, such as
        :class:`SelfTraining` [4]_. None: the five. For numbers there is one, by the members'
        spread.
    X_reference, X_new : array-like or frame, default=None
        The rows themselves: whether their columns have changed is then tested, too.
    confidence : float, default=0.95
        Of the limits.
    n_draws : int, default=50
        Draws of the bootstrap over both samples.
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    ErrorEstimate

    Notes
    -----
    The combination is a weighted median of the methods that pass their check on the reference. They
    are weighed by how they do where the truth is known: one half of the reference is tilted,
    towards rows that members are unsure of, rows they are sure of, and one class or another, and
    methods that have seen the other half are asked; weights go with one over the mean squared
    miss. Limits are of a bootstrap over both samples, widened by that miss.

    An assumption "holds" if its check on the reference passes (calibration, a line, the equality)
    and no test finds the new rows different, at level 0.01 corrected for the number of tests: where
    the population has changed, what was calibrated is not known to be so any more. A shift that
    leaves columns and answers alike and only changes the truth cannot be seen by anybody without
    labels.

    References
    ----------
    .. [1] Y. Jiang, V. Nagarajan, C. Baek and J. Z. Kolter, "Assessing generalization of SGD via
       disagreement", ICLR 2022.
    .. [2] C. Baek, Y. Jiang, A. Raghunathan and J. Z. Kolter, "Agreement-on-the-line: predicting
       the performance of neural networks under distribution shift", NeurIPS 2022.
    .. [3] S. Garg, S. Balakrishnan, Z. C. Lipton, B. Neyshabur and H. Sedghi, "Leveraging unlabeled
       data to predict out-of-distribution performance", ICLR 2022.
    .. [4] J. Chen, F. Liu, B. Avci, X. Wu, Y. Liang and S. Jha, "Detecting errors and estimating
       accuracy on unlabeled data with self-training ensembles", NeurIPS 2021.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.trust import estimate_error
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(50, max_depth=4, random_state=0).fit(X[:200], y[:200])
    >>> reference = MemberOutputs.from_estimator(forest, X[200:400], y[200:400])
    >>> new = MemberOutputs.from_estimator(forest, X[400:])
    >>> told = estimate_error(reference, new, random_state=0)
    >>> true = (forest.predict(X[400:]) != y[400:]).mean()
    >>> bool(told.low <= true <= told.high)
    True
    """
    check_number(confidence, "confidence", low=0, high=1, open_low=True, open_high=True)
    n_draws = check_count(n_draws, "n_draws", low=2, high=10_000)
    rng = check_random_state(random_state)
    if isinstance(reference, MemberPredictions):
        return number_error(reference, new, X_reference, X_new, confidence, n_draws, rng)
    need_outputs(reference, "reference", truth=True)
    need_outputs(new, "new")
    check_same(reference, new)
    used = _chosen(methods, reference)
    shift = detect_shift(reference, new, X_reference=X_reference, X_new=X_new)
    differs = changed(shift)
    before, after = Seen(reference), Seen(new)
    trials = _try(used, before, rng)
    missed = trials.groupby("method", sort=False)["missed"].agg(root_mean_square)
    rows, drawn = [], []
    for method in used:
        learnt = method.learn(before, before.weight)
        point = method.estimate(learnt, after, after.weight)
        checked = method.check(before, after)
        holds = checked.holds and not differs if checked.holds else checked.holds
        says = checked.says + (f"; {differs}" if differs else "")
        rows.append({"method": method.name, "estimate": point, "assumption": method.assumption,
                     "passes": checked.holds, "holds": holds, "says": says})  # fmt: skip
    for _ in range(n_draws):
        w = redrawn(before.weight, rng)
        v = redrawn(after.weight, rng)
        drawn.append([m.estimate(m.learn(before, w), after, v) for m in used])
    frame = pd.DataFrame(rows).set_index("method")
    miss = missed.reindex(frame.index).to_numpy(dtype=float)
    failed = (frame["passes"] == False).to_numpy()  # noqa: E712
    frame["weight"] = _weights(miss, frame["estimate"].to_numpy(), failed)
    spread = np.array(drawn)
    frame["low"], frame["high"] = limits(frame["estimate"].to_numpy(), spread, miss, confidence)
    weight = frame["weight"].to_numpy()
    point = float(_middle(frame["estimate"].to_numpy()[None], weight)[0])
    together = _middle(spread, weight)[:, None]
    combined = trials.pivot_table(index="trial", columns="method", values="missed", sort=False)
    own = combined.reindex(columns=frame.index).to_numpy(dtype=float)
    whole = root_mean_square(_middle(own, weight)) if len(own) else np.nan
    low, high = limits(np.array([point]), together, np.array([whole]), confidence)
    columns = ["estimate", "low", "high", "weight", "assumption", "passes", "holds", "says"]
    return ErrorEstimate(
        error=point, low=float(low[0]), high=float(high[0]),
        reference_error=before.error(before.weight), methods=frame[columns],
        per_class=_per_class(before, after), shift=shift, trials=trials,
        n_reference=reference.n_samples, n_new=new.n_samples,
        notes=_notes(reference, new, differs, frame),
    )  # fmt: skip


# -- choosing and trying methods ---------------------------------------------------------------


def _chosen(methods, reference):
    known = {method.name: method for method in METHODS}
    if methods is None:
        return [m for m in METHODS if reference.n_members >= m.fewest_members]
    used = []
    for method in check_list(methods, "methods", "names of methods"):
        if not isinstance(method, ErrorMethod):
            method = known[check_choice(method, "methods", known)]
        if reference.n_members < method.fewest_members:
            raise ValueError(
                f"methods: {method.name!r} needs {method.fewest_members} members at least, but "
                f"reference= has {reference.n_members}."
            )
        used.append(method)
    if not used:
        raise ValueError("methods=[]: name one at least, or None for all.")
    return used


def _try(methods, seen, rng):
    """Ask methods that know one half of the reference about the other, tilted in many ways."""
    rows: list[dict[str, Any]] = []
    n = len(seen.answer)
    if n < FEWEST:
        return pd.DataFrame(rows, columns=["trial", "tilt", "method", "true", "missed"])
    for trial in range(TRIALS):
        order = rng.permutation(n)
        known, other = seen.take(order[: n // 2]), seen.take(order[n // 2 :])
        tilt, factor = _tilt(other, trial, rng)
        weight = other.weight * factor
        true = other.error(weight)
        for method in methods:
            if not getattr(method, "on_parts", True):
                continue
            guess = method.estimate(method.learn(known, known.weight), other, weight)
            rows.append({"trial": trial, "tilt": tilt, "method": method.name, "true": true,
                         "missed": guess - true})  # fmt: skip
    return pd.DataFrame(rows, columns=["trial", "tilt", "method", "true", "missed"])


def _tilt(seen, trial, rng):
    kind = ("none", "hard rows", "easy rows", "classes")[trial % 4]
    if kind == "none":
        return kind, np.ones(len(seen.answer))
    if kind == "classes":
        odds = np.exp(rng.normal(0, 1, size=seen.outputs.n_classes))
        return kind, odds[seen.y]
    rank = np.argsort(np.argsort(1 - seen.confidence)) / max(len(seen.answer) - 1, 1)
    strength = rng.uniform(0.5, 2.0) * (1 if kind == "hard rows" else -1)
    return kind, np.exp(strength * (rank - 0.5))


def _weights(miss, estimate, failed):
    """Return shares that go with one over the mean squared miss; even where nothing was tried.

    Those whose check on the reference fails take no part, unless all do.
    """
    usable = np.isfinite(estimate)
    if (usable & ~failed).any():
        usable &= ~failed
    square = np.where(np.isfinite(miss), np.maximum(miss, 0.002) ** 2, np.nan)
    known = usable & np.isfinite(square)
    if not usable.any():
        return np.zeros(len(miss))
    if not known.any():
        return usable / usable.sum()
    # One that could not be tried takes no part beside those that could.
    share = np.where(known, 1 / np.where(known, square, 1), 0.0)
    return share / share.sum()


def _middle(values, weight):
    """Return the weighted median of each row of values (n, n_methods); NaN counts for nothing."""
    out = np.full(len(values), np.nan)
    for k, row in enumerate(values):
        known = np.isfinite(row) & (weight > 0)
        if known.any():
            order = np.argsort(row[known], kind="stable")
            share = weight[known][order].cumsum()
            out[k] = row[known][order][np.searchsorted(share, share[-1] / 2)]
    return out


# -- intervals and words -----------------------------------------------------------------------


def _per_class(before, after):
    maps = calibrations(before.proba, before.y, before.weight)
    sure = calibrated(maps, after.proba)[np.arange(len(after.answer)), after.answer]
    rows = []
    for k, label in enumerate(before.outputs.classes):
        here, there = before.answer == k, after.answer == k
        w, v = before.weight[here], after.weight[there]
        rows.append(
            {
                "class": label,
                "reference_share": w.sum() / before.weight.sum(),
                "reference_error": w @ before.wrong[here] / w.sum() if w.sum() > 0 else np.nan,
                "new_share": v.sum() / after.weight.sum(),
                "new_error": v @ (1 - sure[there]) / v.sum() if v.sum() > 0 else np.nan,
            }
        )
    return pd.DataFrame(rows)


def _notes(reference, new, differs, frame):
    notes = [f"{differs}: no assumption is known to hold there."] if differs else []
    if new.n_samples == 1:
        notes.append("one new row: the estimate is the chance that its answer is wrong.")
    if reference.n_samples < FEWEST:
        notes.append(f"a reference of {reference.n_samples} rows: nothing could be tried on it.")
    failed = frame.index[(frame["holds"] == False)].tolist()  # noqa: E712
    if failed and not differs:
        notes.append(f"the assumption of {', '.join(failed)} does not hold on the reference.")
    return notes
