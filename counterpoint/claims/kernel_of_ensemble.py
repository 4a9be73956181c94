"""A support vector machine on the kernel of an ensemble, against the ensemble itself."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.ensemble import RandomForestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from counterpoint.claims import sources
from counterpoint.claims._pictures import panels
from counterpoint.claims._shared import encode_rows, error, rows_and_labels, take_fold
from counterpoint.claims.comparison import TEN_FOLDS, Paired, compare
from counterpoint.claims.parts import Part, every, most, negated, share
from counterpoint.claims.protocol import Claim, Verdict, grid, verdict
from counterpoint.claims.undecided import what_is_open
from counterpoint.plots.style import colour
from counterpoint.subsets import EnsembleKernelSVC, StochasticDiscriminationClassifier

SETS = ("sonar", "ionosphere", "glass", "wdbc", "bupa", "heart-statlog")
UNIT = ["repeat", "fold"]
PAIRS = {
    "forest": ("forest", "SVM on the forest's kernel"),
    "discrimination": ("stochastic discrimination", "SVM on its kernel"),
}
LITTLE = 0.01


def run(
    *, seed: int, repeat: int, fold: int, data: str, n_trees: int, n_subsets: int
) -> list[dict[str, Any]]:
    """Fit ensembles and machines on their kernels on one fold."""
    X, y = rows_and_labels(data)
    train, test = take_fold(y, fold, 10, seed)
    A, B = encode_rows(X, train, test)
    scaler = StandardScaler().fit(A)
    forest = RandomForestClassifier(n_trees, random_state=seed)
    discrimination = StochasticDiscriminationClassifier(n_subsets, random_state=seed)
    models: dict[str, Any] = {}
    for (name, on_kernel), pool in zip(PAIRS.values(), (forest, discrimination), strict=True):
        models[name] = pool.fit(A, y[train])
        models[on_kernel] = EnsembleKernelSVC(pool, random_state=seed).fit(A, y[train])
    made = [{"method": name, "error": error(m, B, y[test])} for name, m in models.items()]
    plain = SVC().fit(scaler.transform(A), y[train])
    return [*made, {"method": "SVM", "error": error(plain, scaler.transform(B), y[test])}]


def judge(frame: pd.DataFrame) -> Verdict:
    """Compare each machine with the ensemble whose kernel it has."""
    parts: dict[str, Part] = {}
    notes: dict[str, str] = {}
    rows = []
    for kind, (ensemble, machine) in PAIRS.items():
        gaps = {data: _gap(frame, data, machine, ensemble) for data in SETS}
        better = {data: _errs_less(gap) for data, gap in gaps.items()}
        first = f"{kind}: the machine errs less than the ensemble on most sets"
        second = f"{kind}: on no set by more than a point more"
        parts[first] = most(better.values())
        parts[second] = every(_not_much_more(gap) for gap in gaps.values())
        notes[first] = what_is_open(gaps, _errs_less, "folds")
        notes[second] = what_is_open(gaps, _not_much_more, "folds")
        rows += [
            {"ensemble": ensemble, "data": data, "machine less ensemble (ours)": gap.difference}
            | {"low": gap.interval[0], "high": gap.interval[1], "theirs": "asked, not answered"}
            for data, gap in gaps.items()
        ]
        parts_of = share(better)
        rows[-1]["words"] = f"{kind}: lower on {parts_of}"
    table = pd.DataFrame(rows)
    why = "; ".join(table.pop("words").dropna())
    table = table.dropna(subset=["machine less ensemble (ours)"])
    return verdict(parts, table, f"{why}.", notes)


def _errs_less(gap: Paired) -> Part:
    return gap.below(least=LITTLE)


def _not_much_more(gap: Paired) -> Part:
    return negated(gap.higher_by(LITTLE))


def _gap(frame: pd.DataFrame, data: str, first: str, second: str) -> Paired:
    here = frame[frame["data"] == data]
    return compare(here, "method", first, second, "error", unit=UNIT, overlap=TEN_FOLDS)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw the errors of ensembles, machines on their kernels, and a plain machine."""
    figure, (ax,) = panels(1, size=(7.2, 3.8))
    mean = frame.groupby(["data", "method"], sort=False)["error"].mean().unstack()
    width = 0.8 / len(mean.columns)
    for k, method in enumerate(mean.columns):
        at = np.arange(len(mean)) + (k - (len(mean.columns) - 1) / 2) * width
        ax.bar(at, mean[method], width, color=colour(k), label=method)
    ax.set_xticks(range(len(mean)), mean.index)
    ax.set(ylabel="Error")
    ax.legend(frameon=False, fontsize="small")
    return figure


CLAIM = Claim(
    topic="kernel-of-ensemble",
    stream=24,
    title="A machine on the kernel of an ensemble",
    sentence=(
        "The share of an ensemble's subsets that hold two points is a kernel; a support vector "
        "machine on it may be better than the ensemble's own vote."
    ),
    source=f"{sources.THESIS}, sections 3.4 and 3.7",
    rule=(
        "Four parts, by 95 % intervals over folds that allow for shared training rows. For "
        "forests, and for stochastic discrimination: the machine errs less than the ensemble on "
        "most of six sets (it does not hold where a lead of a point can be excluded); on no set "
        "by more than a point more."
    ),
    setup=(
        "The thesis proposes it and leaves it open whether it is worth it. Three times 10-fold "
        "cross-validation, forests of 200 trees, 1000 subsets a class, C = 1; a plain machine "
        "with a Gaussian kernel on standardised columns is shown."
    ),
    run=run,
    smoke=grid(repeat=[0], fold=range(2), data=["bupa", "glass"], n_trees=[10], n_subsets=[40]),
    full=grid(repeat=range(3), fold=range(10), data=SETS, n_trees=[200], n_subsets=[1000]),
    unseeded=["fold"],
    judge=judge,
    draw=draw,
)
