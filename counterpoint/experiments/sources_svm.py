"""R7-R8: boosted support vector machines kept apart (Hong and others, SVM)."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.ensemble import BaggingClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from counterpoint import MemberOutputs
from counterpoint.boosting import AdaBoostSVMClassifier, NCABSVMClassifier
from counterpoint.diversity import kappa_error, label_kappa
from counterpoint.experiments._claims_common import (
    THEIRS_MARK,
    encoded,
    error,
    panels,
    rows_and_labels,
    share,
    take_fold,
)
from counterpoint.experiments.protocol import (
    Claim,
    Experiment,
    Size,
    Verdict,
    grid,
    paired,
    verdict,
)
from counterpoint.networks import NCCDClassifier, NegativeCorrelationRegressor
from counterpoint.plots import KappaErrorDisplay
from counterpoint.plots.style import colour

__all__ = ["CLAIMS", "R7", "R8"]

_SVM = (
    "M. Hong, H. Wang, X. Liu and P. Liu, 'SVM Ensembles Algorithm Using Negative Correlation "
    "Learning', Journal of Huaqiao University 39, 2018"
)
_ADA, _NC = "AdaBoost-SVM", "NCAB-SVM"
_METHODS = ["SVM", _ADA, "Bagging", "NCCD", _NC]
# Table 1: error in %, with its spread for NCAB-SVM.
_TABLE = pd.DataFrame(
    [
        ("promoters", 27.454, 23.905, 24.091, 15.000, 17.727, 4.520),
        ("sonar", 14.227, 12.250, 12.381, 22.857, 10.952, 2.300),
        ("ionosphere", 6.250, 4.580, 5.211, 4.584, 4.047, 0.950),
        ("house-votes-84", 3.007, 2.965, 3.218, 4.023, 2.528, 0.484),
        ("breast-w", 21.270, 12.666, 19.055, 18.358, 15.671, 0.853),
        ("pima", 29.780, 26.592, 26.900, 25.071, 24.025, 1.960),
        ("german-credit", 26.189, 23.780, 25.130, 49.221, 24.900, 1.776),
        ("hypothyroid", 29.780, 15.235, 26.900, 18.673, 12.270, 0.157),
        ("soybean-large", 11.244, 8.316, 10.665, 7.952, 4.080, 1.124),
    ],
    columns=["data", *_METHODS, "spread"],
)
_N_FOLDS = 10


def _model(method: str, n_members: int, seed: int) -> Any:
    if method == "SVM":
        return SVC()
    if method == _ADA:
        return AdaBoostSVMClassifier(n_estimators=n_members, progress=False)
    if method == _NC:
        return NCABSVMClassifier(n_estimators=n_members, progress=False)
    if method == "Bagging":
        return BaggingClassifier(SVC(), n_estimators=n_members, random_state=seed)
    network = NegativeCorrelationRegressor(
        1, hidden_layer_sizes=(5,), max_epochs=50, progress=False
    )
    return NCCDClassifier(network, n_rounds=20, progress=False, random_state=seed)


def _split(data: str, fold: int, seed: int) -> tuple[np.ndarray, ...]:
    X, y = rows_and_labels(data)
    with warnings.catch_warnings():
        # Soybean has a class of eight rows.
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        train, test = take_fold(y, fold, _N_FOLDS, seed)
    A, B = encoded(X, train, test)
    scaler = StandardScaler().fit(A)
    return scaler.transform(A), scaler.transform(B), y[train], y[test]


# R7 ------------------------------------------------------------------------------------------


def run_errors(
    *, seed: int, repeat: int, fold: int, data: str, method: str, n_members: int
) -> dict[str, float]:
    """Train one method on nine tenths of a data set, test it on the tenth."""
    A, B, y_train, y_test = _split(data, fold, seed)
    model = _model(method, n_members, seed).fit(A, y_train)
    return {"test_error": error(model, B, y_test), "n_test": len(y_test)}


def _errors_experiment(size: Size) -> Experiment:
    full = size == "full"
    cells = grid(
        repeat=range(5 if full else 1),
        fold=range(_N_FOLDS if full else 2),
        data=list(_TABLE["data"]) if full else ["sonar", "ionosphere"],
        method=_METHODS,
        n_members=[50 if full else 8],
    )
    name = "R7" if full else "R7-smoke"
    return Experiment(name, run_errors, cells, unseeded=["fold", "method"])


def _judge_errors(frame: pd.DataFrame) -> Verdict:
    # A run cut short: folds that all methods had.
    whole = frame.groupby(["repeat", "fold", "data"])["method"].transform("nunique")
    frame = frame[whole == len(_METHODS)]
    # A fold counts by its rows, so that a repeat's error is that over all rows.
    missed = frame.assign(missed=100 * frame["test_error"] * frame["n_test"])
    sums = missed.groupby(["data", "method"], sort=False)[["missed", "n_test"]].sum()
    ours = (sums["missed"] / sums["n_test"]).unstack("method").reindex(columns=_METHODS)
    theirs = _TABLE.set_index("data").loc[list(ours.index)]
    spread = theirs.pop("spread")
    table = ours.add_suffix(" (ours)").join(theirs.add_suffix(" (theirs)"))
    table = table[[f"{m} ({who})" for m in _METHODS for who in ("ours", "theirs")]]
    lowest = dict(zip(ours.index, ours[_NC] <= ours.min(axis=1), strict=True))
    below = dict(zip(ours.index, ours[_NC] < ours[_ADA], strict=True))
    near_ones = (ours[_NC] - theirs[_NC]).abs() <= np.maximum(2 * spread, 1.0)
    near = dict(zip(ours.index, near_ones, strict=True))
    most = len(ours) / 2
    parts = {
        "lowest of all methods on most sets": sum(lowest.values()) > most,
        "below AdaBoost-SVM on most sets": sum(below.values()) > most,
        "near the source's errors on most sets": sum(near.values()) > most,
    }
    gap = paired(ours[_NC].to_numpy(), ours[_ADA].to_numpy())
    why = (
        f"NCAB-SVM is the lowest on {share(lowest)}, below AdaBoost-SVM on {share(below)} (mean "
        f"difference {gap.difference:+.1f} points), near the source's error on {share(near)}. "
        f"Bagging less SVM: {(ours['Bagging'] - ours['SVM']).mean():+.1f} points."
    )
    return verdict(parts, table.reset_index(), why)


def _draw_errors(frame: pd.DataFrame) -> Figure:
    table = _judge_errors(frame).table
    figure, axes = panels(len(table), columns=3, size=(3.6, 2.4))
    at = np.arange(len(_METHODS))
    for ax, (_, row) in zip(axes, table.iterrows(), strict=True):
        ax.bar(
            at, [row[f"{m} (ours)"] for m in _METHODS], color=[colour(k) for k in range(len(at))]
        )
        ax.plot(at, [row[f"{m} (theirs)"] for m in _METHODS], **THEIRS_MARK)
        ax.set_xticks(at, _METHODS, rotation=30, ha="right", fontsize="x-small")
        ax.set(title=row["data"], ylabel="Error in %")
    figure.suptitle("Bars: ours; hollow: SVM, table 1")
    return figure


R7 = Claim(
    id="R7",
    title="Errors of NCAB-SVM and its rivals",
    sentence=(
        "In ten-fold cross-validation on ten data sets NCAB-SVM has the lowest error of SVM, "
        "AdaBoost-SVM, bagging, NCCD and itself on most (seven), for example 4.0 % on ionosphere "
        "and 11.0 % on sonar; bagging hardly improves on the SVM."
    ),
    source=f"{_SVM}, table 1.",
    rule=(
        "Reproduced if, on more than half of the sets each, NCAB-SVM has the lowest mean error of "
        "the five, has a lower one than AdaBoost-SVM, and is within two of the source's spreads "
        "(at least one point) of its error. Differs if some of the three hold, else not "
        "reproduced."
    ),
    setup=(
        "Insurance, the tenth set, may not be shipped and is left out. Five times ten-fold by "
        "class. The source gives neither C nor coding nor the SVM's width: C = 1, columns "
        "standardised, nominal ones one-hot, scikit-learn's default width. 50 rounds for the "
        "ensembles as in the source. Bagging is of SVMs. NCCD has 20 rounds as in the source, ten "
        "members, networks of five units trained for 50 epochs (the source names none). In the "
        "source the SVM and bagging cells of hypothyroid repeat pima's, every entry of hypothyroid "
        "is worse than saying 'negative' always (4.8 %), and 21 % for an SVM on breast-w is seven "
        "times what any SVM reaches: these numbers cannot be met."
    ),
    experiment=_errors_experiment,
    judge=_judge_errors,
    draw=_draw_errors,
    findings=(
        "NCAB-SVM's errors are not the source's, in either direction: ours are far lower where its "
        "numbers cannot be right (hypothyroid, breast-w) or its coding must have been another "
        "(promoters: all five of its errors are two to four times that of a one-hot SVM), and "
        "higher on sonar, ionosphere and soybean. Looked into while it was built: steps 4 to 11 "
        "have a plain twin in the tests, and both agree; how the offset of a machine is set whose "
        "classes weigh the same changes AdaBoost-SVM a lot, by up to 12 points; lambda cancels "
        "but for the smoothing, so it cannot matter much. NCAB-SVM may get stuck with members that "
        "take turns at one wide kernel: on four folds of ionosphere about half of its members "
        "say one class only. If the source narrowed the kernel in every round, which its text does "
        "not say, this would not happen. That reading was not tried."
    ),
)

# R8 ------------------------------------------------------------------------------------------

_SUMMARY = {_ADA: 0.3376, _NC: 0.3204}
_COLUMNS = ("kappa", "pair_error", "kappa_error")


def run_cloud(
    *, seed: int, repeat: int, fold: int, method: str, n_members: int
) -> list[dict[str, Any]]:
    """Measure the pairs of members of one ensemble, on test and on training rows."""
    rows = []
    for where, outputs in _outputs(method, n_members, fold, seed).items():
        errors = outputs.errors
        rows.append(
            {
                "rows": where,
                "members": outputs.n_members,
                "kappa": label_kappa(outputs) if outputs.n_members > 1 else np.nan,
                "pair_error": float(errors.mean()),
                "kappa_error": kappa_error(outputs) if outputs.n_members > 1 else np.nan,
            }
        )
    return rows


def _outputs(method: str, n_members: int, fold: int, seed: int) -> dict[str, MemberOutputs]:
    A, B, y_train, y_test = _split("ionosphere", fold, seed)
    model = _model(method, n_members, seed).fit(A, y_train)
    return {
        "test": MemberOutputs.from_estimator(model, B, y_test),
        "training": MemberOutputs.from_estimator(model, A, y_train),
    }


def _cloud_experiment(size: Size) -> Experiment:
    full = size == "full"
    cells = grid(
        repeat=range(5 if full else 1),
        fold=range(_N_FOLDS if full else 4),
        method=[_ADA, _NC],
        n_members=[50 if full else 10],
    )
    name = "R8" if full else "R8-smoke"
    return Experiment(name, run_cloud, cells, unseeded=["fold", "method"])


def _judge_cloud(frame: pd.DataFrame) -> Verdict:
    rows, parts, said = [], {}, []
    for where in ("test", "training"):
        part = frame[frame["rows"] == where]
        for column in _COLUMNS:
            wide = part.pivot_table(index=["repeat", "fold"], columns="method", values=column)
            gap = paired(wide[_NC].to_numpy(), wide[_ADA].to_numpy())
            is_summary = column == "kappa_error"
            rows.append(
                {
                    "rows": where,
                    "what": column,
                    f"{_ADA} (ours)": wide[_ADA].mean(),
                    f"{_NC} (ours)": wide[_NC].mean(),
                    f"{_ADA} (theirs)": _SUMMARY[_ADA] if is_summary else np.nan,
                    f"{_NC} (theirs)": _SUMMARY[_NC] if is_summary else np.nan,
                    "difference": gap.difference,
                    "p": gap.p,
                    "effect": gap.effect,
                }
            )
            if where == "test":
                parts[f"a lower {column}"] = gap.interval[1] < 0
                said.append(f"{column} {wide[_NC].mean():.3f} against {wide[_ADA].mean():.3f}")
                if is_summary:
                    near = all(abs(wide[m].mean() - _SUMMARY[m]) <= 0.05 for m in _SUMMARY)
                    parts["summaries within 0.05 of the source's"] = near
    why = f"NCAB-SVM against AdaBoost-SVM on test rows: {', '.join(said)}; source: summaries "
    return verdict(parts, pd.DataFrame(rows), f"{why}{_SUMMARY[_NC]} and {_SUMMARY[_ADA]}.")


def _draw_cloud(frame: pd.DataFrame) -> Figure:
    figure, axes = panels(3, size=(4.4, 3.6))
    first = _cloud_experiment("full").cells()[0]
    n_members = int(frame["n_members"].iloc[0])
    # Rows hold no pairs: the first fold's ensembles are fitted again.
    made = {m: _outputs(m, n_members, 0, first.seed) for m in (_ADA, _NC)}
    for ax, where in zip(axes, ("test", "training"), strict=False):
        clouds = {m: one[where] for m, one in made.items() if one[where].n_members > 1}
        KappaErrorDisplay.from_outputs(clouds, ax=ax, show_vote=False)
        ax.set(title=f"Pairs of members, {where} rows of one fold")
    table = _judge_cloud(frame).table
    summary = table[table["what"] == "kappa_error"].set_index("rows")
    for k, method in enumerate((_ADA, _NC)):
        x = np.arange(2) + 0.2 * (2 * k - 1)
        ours = summary[f"{method} (ours)"].loc[["test", "training"]].to_numpy()
        axes[2].bar(x, ours, width=0.36, color=colour(k), label=method)
        axes[2].plot(x, [_SUMMARY[method]] * 2, **THEIRS_MARK)
    axes[2].set_xticks([0, 1], ["test rows", "training rows"])
    axes[2].set(title="Mean of kappa times error; hollow: source", ylim=(0, 0.4))
    axes[2].legend(frameon=False, fontsize="small")
    return figure


R8 = Claim(
    id="R8",
    title="Kappa and error of NCAB-SVM's pairs",
    sentence=(
        "On ionosphere the pairs of NCAB-SVM's members lie lower and to the left of AdaBoost-SVM's "
        "in the kappa-error diagram; the mean of kappa times error is 0.3204 against 0.3376."
    ),
    source=f"{_SVM}, section 3.3 and figure 2.",
    rule=(
        "On test rows: mean kappa, mean error of a pair and the summary each lower for NCAB-SVM, "
        "the 95 % interval of the paired difference over folds below 0, and both summaries within "
        "0.05 of the source's. Reproduced if all four hold, differs if some do, else not "
        "reproduced."
    ),
    setup=(
        "Five times ten-fold by class, 50 rounds; the source does not say on which rows it "
        "measured, so training rows are shown as well, without a say. A fold in which a method "
        "keeps one member only has no pairs and is left out. C and coding as in R7."
    ),
    experiment=_cloud_experiment,
    judge=_judge_cloud,
    draw=_draw_cloud,
    findings=(
        "Members with a weighted error above one half are rejected; if plain errors are not much "
        "above that either, a summary of 0.32 takes a mean kappa of about 0.65 or more. That does "
        "not go with a large diversity, nor with step 7, by which a member must answer a fifth of "
        "the rows otherwise than the vote (DIV = 0.8 of at most 4). Kappa of correctness instead "
        "of labels gave 0.01 to 0.07 on the four folds looked at, training rows no more: not near "
        "0.32. On these folds about half of NCAB-SVM's members say one class only, which is "
        "where their high errors and kappas of 0 come from."
    ),
)

CLAIMS = (R7, R8)
