"""How wrong am I on these new rows? The error of an ensemble, estimated without labels."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import spearmanr
from sklearn.utils import check_random_state

from counterpoint._predictions import MemberPredictions
from counterpoint._validation import check_choice, check_count, check_list, check_number
from counterpoint.trust.drift import detect_shift
from counterpoint.trust.error_methods import (
    METHODS,
    ErrorMethod,
    Seen,
    calibrated,
    calibrations,
)
from counterpoint.trust.inputs import (
    check_same,
    disagreement,
    ensemble_number,
    need_outputs,
    need_predictions,
    row_weight,
)

_LEVEL = 0.01  # below this a test says that new rows differ
_TRIALS = 24  # tilted halves of the reference on which methods are tried
_FEWEST = 20  # rows of a reference below which nothing is tried


@dataclass(frozen=True, kw_only=True, eq=False)
class ErrorEstimate:
    """The error on rows without labels; made by :func:`estimate_error`.

    Attributes
    ----------
    error, low, high : float
        The combined estimate and its limits; for numbers the mean squared error.
    reference_error : float
        The known error on the reference.
    methods : DataFrame
        A row per method: "estimate", "low", "high", "weight" in the combination, "assumption",
        whether it "passes" its check on the reference, and "holds", which is False as well where
        the new rows differ (True, False, or None where it cannot be told), "says" (what the check
        found).
    per_class : DataFrame or None
        For each class that is answered: its share of the answers and the error among them, on the
        reference (known) and on the new rows (estimated).
    shift : DataFrame
        Tests whether new rows are like the reference, as :func:`detect_shift` gives them.
    trials : DataFrame
        How far each method missed on tilted halves of the reference.
    n_reference, n_new : int
    notes : list of str
    """

    error: float
    low: float
    high: float
    reference_error: float
    methods: pd.DataFrame
    per_class: pd.DataFrame | None
    shift: pd.DataFrame
    trials: pd.DataFrame
    n_reference: int
    n_new: int
    notes: list[str] = field(default_factory=list)

    @property
    def trusted(self) -> bool:
        """Whether the assumption of some method in the combination holds."""
        used = self.methods["weight"] > 0
        return bool((self.methods.loc[used, "holds"] == True).any())  # noqa: E712

    def table(self) -> pd.DataFrame:
        """Return the estimates: a row per method, the combination first."""
        first = {
            "method": "combined", "estimate": self.error, "low": self.low, "high": self.high,
            "weight": 1.0, "holds": self.trusted,
        }  # fmt: skip
        rest = self.methods.reset_index()[[*first]]
        return pd.concat([pd.DataFrame([first]), rest], ignore_index=True)


def estimate_error(
    reference,
    new,
    *,
    methods: Sequence[str | ErrorMethod] | None = None,
    X_reference: Any = None,
    X_new: Any = None,
    confidence: float = 0.95,
    n_draws: int = 50,
    random_state=None,
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
    The combination weighs methods by how they do where the truth is known: one half of the
    reference is tilted, towards rows that members disagree on, rows they agree on, and one class or
    another, and methods that have seen the other half are asked; weights go with one over the mean
    squared miss. Limits are of a bootstrap over both samples, widened by that miss.

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
        return _of_numbers(reference, new, X_reference, X_new, confidence, n_draws, rng)
    need_outputs(reference, "reference", truth=True)
    need_outputs(new, "new")
    check_same(reference, new)
    used = _chosen(methods, reference)
    shift = detect_shift(reference, new, X_reference=X_reference, X_new=X_new)
    changed = _changed(shift)
    before, after = Seen(reference), Seen(new)
    trials = _try(used, before, rng)
    missed = trials.groupby("method", sort=False)["missed"].agg(_root_mean_square)
    rows, drawn = [], []
    for method in used:
        learnt = method.learn(before, before.weight)
        point = method.estimate(learnt, after, after.weight)
        checked = method.check(before, after)
        holds = checked.holds and not changed if checked.holds else checked.holds
        says = checked.says + (f"; {changed}" if changed else "")
        rows.append({"method": method.name, "estimate": point, "assumption": method.assumption,
                     "passes": checked.holds, "holds": holds, "says": says})  # fmt: skip
    for _ in range(n_draws):
        w = _redrawn(before.weight, rng)
        v = _redrawn(after.weight, rng)
        drawn.append([m.estimate(m.learn(before, w), after, v) for m in used])
    frame = pd.DataFrame(rows).set_index("method")
    miss = missed.reindex(frame.index).to_numpy(dtype=float)
    frame["weight"] = _weights(miss, frame["estimate"].to_numpy())
    spread = np.array(drawn)
    frame["low"], frame["high"] = _limits(frame["estimate"].to_numpy(), spread, miss, confidence)
    weight = frame["weight"].to_numpy()
    point = float(np.nansum(weight * frame["estimate"]))
    together = np.nansum(weight * spread, axis=1)[:, None]
    combined = trials.pivot_table(index="trial", columns="method", values="missed", sort=False)
    own = combined.reindex(columns=frame.index).to_numpy(dtype=float)
    whole = _root_mean_square(np.nansum(weight * own, axis=1)) if len(own) else np.nan
    low, high = _limits(np.array([point]), together, np.array([whole]), confidence)
    columns = ["estimate", "low", "high", "weight", "assumption", "passes", "holds", "says"]
    return ErrorEstimate(
        error=point, low=float(low[0]), high=float(high[0]),
        reference_error=before.error(before.weight), methods=frame[columns],
        per_class=_per_class(before, after), shift=shift, trials=trials,
        n_reference=reference.n_samples, n_new=new.n_samples,
        notes=_notes(reference, new, changed, frame),
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
    if n < _FEWEST:
        return pd.DataFrame(rows, columns=["trial", "tilt", "method", "true", "missed"])
    for trial in range(_TRIALS):
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


def _weights(miss, estimate):
    """Return shares that go with one over the mean squared miss; even where nothing was tried."""
    usable = np.isfinite(estimate)
    square = np.where(np.isfinite(miss), np.maximum(miss, 0.002) ** 2, np.nan)
    known = usable & np.isfinite(square)
    if not usable.any():
        return np.zeros(len(miss))
    if not known.any():
        return usable / usable.sum()
    # One that could not be tried takes no part beside those that could.
    share = np.where(known, 1 / np.where(known, square, 1), 0.0)
    return share / share.sum()


# -- intervals and words -----------------------------------------------------------------------


def _redrawn(weight, rng):
    n = len(weight)
    again = weight * rng.multinomial(n, np.full(n, 1 / n))
    return again if again.any() else weight


def _limits(point, drawn, miss, confidence, top=1.0):
    """Return limits: the bootstrap's deviation and the miss in trials, added as squares."""
    z = float(ndtri((1 + confidence) / 2))
    spread = np.where(np.isfinite(drawn).sum(axis=0) > 1, _deviation(drawn), 0.0)
    half = z * np.sqrt(spread**2 + np.where(np.isfinite(miss), miss, 0.0) ** 2)
    return np.clip(point - half, 0, None), np.clip(point + half, None, top)


def _deviation(drawn):
    known = np.isfinite(drawn)
    n = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, drawn, 0).sum(axis=0) / n
    return np.sqrt(np.where(known, (drawn - mean) ** 2, 0).sum(axis=0) / np.maximum(n - 1, 1))


def _root_mean_square(values):
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(values**2))) if len(values) else np.nan


def _changed(shift):
    """Return in words what tests find different, or nothing."""
    found = shift[shift["p_holm"] < _LEVEL]
    if found.empty:
        return ""
    named = ", ".join(found["of"].astype(str).head(3))
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return f"the new rows differ in {named}{more}"


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


def _notes(reference, new, changed, frame):
    notes = [f"{changed}: no assumption is known to hold there."] if changed else []
    if new.n_samples == 1:
        notes.append("one new row: the estimate is the chance that its answer is wrong.")
    if reference.n_samples < _FEWEST:
        notes.append(f"a reference of {reference.n_samples} rows: nothing could be tried on it.")
    failed = frame.index[(frame["holds"] == False)].tolist()  # noqa: E712
    if failed and not changed:
        notes.append(f"the assumption of {', '.join(failed)} does not hold on the reference.")
    return notes


# -- numbers -----------------------------------------------------------------------------------


def _of_numbers(reference, new, X_reference, X_new, confidence, n_draws, rng):
    """Estimate the mean squared error by the members' variance, on a line learnt on reference."""
    need_predictions(reference, "reference", truth=True)
    need_predictions(new, "new")
    check_same(reference, new)
    if reference.n_members < 2:
        raise ValueError("reference= has 1 member: the spread of members needs 2 at least.")
    shift = detect_shift(reference, new, X_reference=X_reference, X_new=X_new)
    changed = _changed(shift)
    square = (ensemble_number(reference) - reference.y) ** 2
    before, after = disagreement(reference) ** 2, disagreement(new) ** 2
    w, v = row_weight(reference), row_weight(new)
    point = _by_spread(before, square, w, after, v)
    drawn = [
        _by_spread(before, square, _redrawn(w, rng), after, _redrawn(v, rng))
        for _ in range(n_draws)
    ]
    trials = _try_numbers(before, square, w, rng)
    miss = np.array([_root_mean_square(trials["missed"])])
    low, high = _limits(np.array([point]), np.array(drawn)[:, None], miss, confidence, np.inf)
    varied = len(square) > 3 and np.ptp(before) > 0 and np.ptp(square) > 0
    told = spearmanr(before, square) if varied else None
    tied = told is not None and told.statistic > 0 and told.pvalue < 0.05
    says = (
        f"spread and squared error have rank correlation {told.statistic:.2f}"
        if told is not None
        else "the spread does not vary: there is nothing to learn from"
    ) + (f"; {changed}" if changed else "")
    frame = pd.DataFrame(
        {
            "estimate": [point],
            "low": low,
            "high": high,
            "weight": [1.0],
            "assumption": ["squared error is a line in the members' variance, here and there"],
            "passes": [bool(tied)],
            "holds": [bool(tied and not changed)],
            "says": [says],
        },
        index=pd.Index(["spread"], name="method"),
    )
    return ErrorEstimate(
        error=point, low=float(low[0]), high=float(high[0]),
        reference_error=float(np.average(square, weights=w)), methods=frame, per_class=None,
        shift=shift, trials=trials, n_reference=reference.n_samples, n_new=new.n_samples,
        notes=[f"{changed}: no assumption is known to hold there."] if changed else [],
    )  # fmt: skip


def _by_spread(before, square, w, after, v):
    """Fit ``square = floor + slope * variance``, neither below 0; return the mean on new rows."""
    total = w.sum()
    x, y = w @ before / total, w @ square / total
    across = w @ (before - x) ** 2 / total
    slope = (w @ ((before - x) * (square - y)) / total) / across if across > 0 else 0.0
    slope = max(slope, 0.0)
    floor = y - slope * x
    if floor < 0:
        floor, slope = 0.0, y / x if x > 0 else 0.0
    return float(floor + slope * (v @ after) / v.sum())


def _try_numbers(before: NDArray, square: NDArray, w: NDArray, rng) -> pd.DataFrame:
    rows = []
    n = len(before)
    if n >= _FEWEST:
        for trial in range(_TRIALS):
            order = rng.permutation(n)
            known, other = order[: n // 2], order[n // 2 :]
            kind = ("none", "hard rows", "easy rows")[trial % 3]
            rank = np.argsort(np.argsort(before[other])) / max(len(other) - 1, 1)
            strength = rng.uniform(0.5, 2.0) * (0, 1, -1)[trial % 3]
            weight = w[other] * np.exp(strength * (rank - 0.5))
            true = float(weight @ square[other] / weight.sum())
            guess = _by_spread(before[known], square[known], w[known], before[other], weight)
            rows.append({"trial": trial, "tilt": kind, "method": "spread", "true": true,
                         "missed": guess - true})  # fmt: skip
    return pd.DataFrame(rows, columns=["trial", "tilt", "method", "true", "missed"])
