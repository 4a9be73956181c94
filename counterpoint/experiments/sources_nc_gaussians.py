"""R4: AdaBoost.NC on two Gaussians (Wang and Yao, NC, figures 1 and 2)."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import ndimage

from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.datasets import make_two_gaussians
from counterpoint.experiments._claims_common import panels, share
from counterpoint.experiments.protocol import (
    Claim,
    Experiment,
    Size,
    Verdict,
    grid,
    paired,
    verdict,
)
from counterpoint.networks import NegativeCorrelationClassifier
from counterpoint.plots import plot_decision_boundary
from counterpoint.plots.style import colour
from counterpoint.trees import PrunedTreeClassifier

__all__ = ["NC", "R4", "RESAMPLED", "boosted"]

NC = (
    "S. Wang and X. Yao, 'The Effectiveness of a New Negative Correlation Learning Algorithm for "
    "Classification Ensembles', ICDM Workshops 2010"
)
RESAMPLED = (
    "Members are trained on rows drawn by weight: NC speaks of examples 'chosen for training', and "
    "repeats runs on one training file 30 times, which only then differ. C4.5 is an entropy tree "
    "with error-based pruning at 0.25 and at least two rows a leaf, nominal columns one-hot. "
)


def boosted(lam: float, n_members: int, seed: int, learner: str = "tree") -> AdaBoostNCClassifier:
    """Return AdaBoost.NC as the claims of NC use it, of trees or networks."""
    member: Any = PrunedTreeClassifier("error-based")
    if learner == "network":
        # A network alone: with one member there is no penalty.
        member = NegativeCorrelationClassifier(
            1, hidden_layer_sizes=(10,), max_epochs=100, progress=False
        )
    return AdaBoostNCClassifier(
        member,
        n_estimators=n_members,
        lam=float(lam),
        resample=True,
        progress=False,
        random_state=seed,
    )


_FIRST = range(2, 11)  # "the first few training iterations"
_WINDOW = np.linspace(-5.0, 5.0, 201)


def run_gaussians(
    *, seed: int, repeat: int, distance: float, lam: int, n_members: int
) -> list[dict[str, Any]]:
    """Boost trees on two Gaussians; return covariance and test error round by round."""
    X_test, y_test = make_two_gaussians(2000, distance=distance, random_state=seed + 1)
    model = _on_gaussians(seed, distance, lam, n_members, (X_test, y_test))
    plane = np.stack(np.meshgrid(_WINDOW, _WINDOW), axis=-1).reshape(-1, 2)
    region = model.predict(plane).reshape(len(_WINDOW), -1)
    history = model.history_
    rows = [
        {"round": int(t), "covariance": cov, "test_error": wrong}
        for t, cov, wrong in zip(
            history.index, history["eval_covariance"], history["eval_error"], strict=True
        )
    ]
    rows[-1] |= {
        "boundary": _boundary_length(region),
        "regions": sum(ndimage.label(region == k)[1] for k in (0, 1)),
    }
    return rows


def _on_gaussians(
    seed: int, distance: float, lam: int, n_members: int, eval_set: Any = None
) -> AdaBoostNCClassifier:
    X, y = make_two_gaussians(400, distance=distance, random_state=seed)
    return boosted(lam, n_members, seed).fit(X, y, eval_set=eval_set)


def _boundary_length(region: np.ndarray) -> float:
    """Return the length of the boundary in the window, of a staircase: |dx| + |dy|."""
    steps = np.sum(region[1:] != region[:-1]) + np.sum(region[:, 1:] != region[:, :-1])
    return float(steps * (_WINDOW[1] - _WINDOW[0]))


def _gaussians_experiment(size: Size) -> Experiment:
    if size == "smoke":
        cells = grid(repeat=range(3), distance=[2.6], lam=[0, 9], n_members=[11])
        return Experiment("R4-smoke", run_gaussians, cells, unseeded=["lam"])
    cells = grid(repeat=range(30), distance=[2.6, 4.0], lam=[0, 2, 9], n_members=[51])
    return Experiment("R4", run_gaussians, cells, unseeded=["lam"])


def _judge_gaussians(frame: pd.DataFrame) -> Verdict:
    early = frame[frame["round"].isin(_FIRST)]
    last = frame[frame["boundary"].notna()]
    rows, parts = [], {}
    for distance in sorted(frame["distance"].unique()):
        for name, part, column in (
            ("covariance, rounds 2 to 10", early, "covariance"),
            ("test error at the end", last, "test_error"),
            ("length of the boundary", last, "boundary"),
            ("regions", last, "regions"),
        ):
            here = part[part["distance"] == distance]
            wide = here.pivot_table(index="repeat", columns="lam", values=column)
            gap = paired(wide[9], wide[0])
            rows.append(
                {"distance": distance, "what": name} | {f"lam {k}": wide[k].mean() for k in wide}
            )
            rows[-1] |= {"9 less 0": gap.difference, "p": gap.p, "effect": gap.effect}
            rows[-1] |= {"theirs": "lower at 9"}
            if name != "regions":
                parts[f"{name} (distance {distance})"] = gap.interval[1] < 0
    table = pd.DataFrame(rows)
    return verdict(parts, table, f"Lower at lambda 9 than at 0, interval below 0: {share(parts)}.")


def _draw_gaussians(frame: pd.DataFrame) -> Figure:
    distances = sorted(frame["distance"].unique())
    lams = sorted(frame["lam"].unique())
    figure, axes = panels((2 + len(lams)) * len(distances), columns=2 + len(lams), size=(2.9, 2.7))
    for r, distance in enumerate(distances):
        ahead = axes[r * (2 + len(lams)) :]
        here = frame[frame["distance"] == distance]
        for k, (lam, part) in enumerate(here.groupby("lam")):
            mean = part.groupby("round")[["covariance", "test_error"]].mean()
            for ax, column in zip(ahead, mean.columns, strict=False):
                ax.plot(mean.index[1:], mean[column].iloc[1:], color=colour(k), label=f"{lam}")
        ahead[0].set(
            ylabel=f"Distance {distance}", title="Covariance with the vote", xlabel="Round"
        )
        ahead[1].legend(title="lambda", frameon=False, fontsize="small")
        ahead[1].set(title="Test error", xlabel="Round")
        for ax, lam in zip(ahead[2:], lams, strict=False):
            _draw_region(ax, here, distance, int(lam))
    figure.suptitle(
        "NC, figures 1 and 2 (printed without numbers): both curves lower at 9 than at 0"
    )
    return figure


def _draw_region(ax: Axes, frame: pd.DataFrame, distance: float, lam: int) -> None:
    """Draw one boundary: the first repeat's, fitted again, as rows hold no models."""
    seed = next(
        cell.seed
        for cell in _gaussians_experiment("full").cells()
        if cell.values["distance"] == distance and cell.values["repeat"] == 0
    )
    model = _on_gaussians(seed, distance, lam, int(frame["n_members"].iloc[0]))
    X, y = make_two_gaussians(400, distance=distance, random_state=seed)
    plot_decision_boundary(model, X, y, ax=ax, scatter_kwargs={"s": 6})
    ax.set(title=f"lambda = {lam}", xlabel="", ylabel="", xticks=[], yticks=[])
    legend = ax.get_legend()
    if legend is not None:
        legend.remove()


R4 = Claim(
    id="R4",
    title="AdaBoost.NC on two Gaussians",
    sentence=(
        "On two overlapping Gaussians, 51 C4.5 trees: the covariance of a new member with the vote "
        "before it is lower at lambda 9 than at 0, above all in the first rounds; so is the test "
        "error, and the boundary is smoother."
    ),
    source=f"{NC}, figures 1 and 2.",
    rule=(
        "At either distance: mean covariance of rounds 2 to 10, test error after the last round "
        "and length of the boundary, each lower at lambda 9 than at 0, the 95 % interval of the "
        "paired difference below 0. Reproduced if all six hold, differs if some do, else not "
        "reproduced."
    ),
    setup=(
        "NC does not say how far apart the Gaussians are: two distances, 2.6 and 4 standard "
        "deviations (best errors 9.7 and 2.3 %). 200 training rows a class as in NC, drawn anew in "
        "each of the 30 repeats; 1000 test rows a class instead of 50, to see small differences. "
        f"{RESAMPLED}The length is that of the boundary inside a square of side 10."
    ),
    experiment=_gaussians_experiment,
    judge=_judge_gaussians,
    draw=_draw_gaussians,
    findings=(
        "Error and boundary are as NC says at both distances, the covariance only at 4. Tried "
        "after the run (8 repeats, 21 members): the larger the overlap, the more lambda 9 raises "
        "the early covariance, from -0.001 at distance 4 over 0.000 at 3.2 to +0.004 at 2.6 with "
        "rows drawn by weight; with weights it is +0.000, +0.001 and +0.010. NC says 'a small "
        "overlapping area', so 4 is nearer to its data; but a lower test error goes with a "
        "higher covariance at 2.6, so the one does not explain the other."
    ),
)
