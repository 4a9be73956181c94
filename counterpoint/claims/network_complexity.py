"""Networks, nodes and lambda as dials of complexity."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from counterpoint.claims import sources
from counterpoint.claims._pictures import THEIRS_LINE, panels
from counterpoint.claims._shared import network_row, with_own_sample
from counterpoint.claims.comparison import Paired, compare, paired, paired_by_index
from counterpoint.claims.parts import Part, every, share
from counterpoint.claims.protocol import Claim, Scalar, Verdict, grid, verdict
from counterpoint.plots.style import colour

SOURCE = sources.NETWORK_COMPLEXITY
STAR = 7
# Epochs, rate; nodes at 3 networks; networks at so many nodes.
SETTINGS = {
    "liver": (3000, 0.0006, (3, 6, 12, 24), (3, 5, 7, 10, 15), 5),
    "synthetic": (3000, 0.05, (5, 10, 20, 40), (3, 5, 7, 10, 15), 5),
    "cancer": (5000, 0.00005, (5, 10, 20, 40, 60, 80, 100), (3, 5, 7, 10), 20),
    "cone-torus": (3000, 0.05, (5, 10, 20, 40, 60, 80, 100), (3, 5, 7, 10, 15), 5),
}
CLOSE = 0.03
DIALS = ("step", "nodes")
# A half is trained on, a half tested; samples in the plane are drawn anew.
OVERLAP = {"liver": 1.0, "cancer": 1.0, "synthetic": 0.0, "cone-torus": 0.0}
SHOWN = {"train_mse": "training MSE", "test_mse": "test MSE", "test_mcr": "test error"}


def run(
    *,
    seed: int,
    repeat: int,
    data: str,
    nets: int,
    nodes: int,
    step: int,
    faster: int,
    sample: str = "",
) -> dict[str, Any]:
    """Train one ensemble; errors on training and test rows."""
    epochs, rate, *_ = SETTINGS[data]
    return network_row(data, seed, nets, nodes, step / STAR, (epochs // faster, rate), sample)


def grid_of(repeats: range, steps: Any, faster: int) -> list[dict[str, Scalar]]:
    """Return the two grids of each set; a repeat has one split, and one start per network."""
    made = []
    for repeat in repeats:
        for data, (_, _, nodes, nets, few) in SETTINGS.items():
            sizes = {(3, k) for k in nodes} | {(k, few) for k in nets}
            for n, k in sorted(sizes):
                made += grid(
                    repeat=[repeat], data=[data], nets=[n], nodes=[k], step=steps, faster=[faster]
                )
    return made


def _ends(data: Any, of: str) -> tuple[int, int]:
    nodes, nets = SETTINGS[str(data)][2:4]
    return (nodes[0], nodes[-1]) if of == "nodes" else (nets[0], nets[-1])


def _at_an_end(row: dict[str, Scalar]) -> bool:
    few = SETTINGS[str(row["data"])][4]
    by_nodes = row["nets"] == 3 and row["nodes"] in _ends(row["data"], "nodes")
    return by_nodes or (row["nodes"] == few and row["nets"] in _ends(row["data"], "nets"))


def _between(rows: pd.DataFrame, data: str, dial: str, value: str, step: int | None) -> Paired:
    """Compare the highest setting of a dial with the lowest, all else as in the figures."""
    here = rows[rows["data"] == data]
    if step is not None:
        here = here[here["step"] == step]
    if dial == "step":
        return compare(here, "step", STAR, 0, value, overlap=OVERLAP[data])
    few = SETTINGS[data][4]
    here = here[here["nets"] == 3] if dial == "nodes" else here[here["nodes"] == few]
    low, high = _ends(data, dial)
    return compare(here, dial, high, low, value, overlap=OVERLAP[data])


def judge(frame: pd.DataFrame) -> Verdict:
    """Read the trends that the text of section 4.8 states, and the errors of table 4.2."""
    parts: dict[str, Part] = {}
    for data in ("liver", "synthetic"):
        parts[f"training MSE falls with nodes, networks and lambda on {data}"] = every(
            _between(frame, data, dial, "train_mse", STAR if dial != "step" else None).below()
            for dial in ("nodes", "nets", "step")
        )
    nodes, nets = (_effect(frame, dial) for dial in ("nodes", "nets"))
    stronger = paired_by_index(nodes, nets)
    parts["nodes lower the training MSE more than networks on synthetic"] = stronger.below()
    lead = paired_by_index(_lambda_effect(frame, 15), _lambda_effect(frame, 3))
    parts["lambda does more with 15 networks than with 3 on synthetic"] = lead.below()
    plain = frame[(frame["data"] == "synthetic") & (frame["nets"] == 3)]
    weak = compare(plain[plain["nodes"] == 5], "step", STAR, 0, "test_mse")
    strong = compare(plain[plain["nodes"] == 40], "step", STAR, 0, "test_mse")
    parts["synthetic, 5 nodes: test MSE is lower at lambda*"] = weak.below()
    parts["synthetic, 40 nodes: test MSE is lower at 0"] = strong.above()
    liver = _between(frame, "liver", "nodes", "test_mse", STAR)
    parts["liver: test MSE rises with nodes"] = liver.above()
    parts["cancer: lambda moves the test MSE more than nodes do"] = _lambda_dominates(frame)
    best = best_settings(frame)
    joined = SOURCE.merge(best, on="data", how="left", suffixes=(" (theirs)", " (ours)"))
    near = {str(row["data"]): _near_best(frame, row) for _, row in joined.iterrows()}
    parts[f"best errors within {CLOSE} of table 4.2"] = every(near.values())
    why = (
        f"Training MSE on synthetic: nodes {nodes.mean():+.4f}, networks {nets.mean():+.4f}; "
        f"effect of lambda with 15 networks less that with 3: {lead.words}. Test MSE there, "
        f"lambda* less 0: {weak.words} with 5 nodes, {strong.words} with 40. Parts: "
        f"{share(parts)}; best errors near: {share(near)}."
    )
    return verdict(parts, joined, why)


def _effect(frame: pd.DataFrame, dial: str) -> pd.Series:
    """Training MSE at the highest setting of a dial less the lowest, by repeat, on synthetic."""
    few = SETTINGS["synthetic"][4]
    here = frame[(frame["data"] == "synthetic") & (frame["step"] == STAR)]
    here = here[here["nets"] == 3] if dial == "nodes" else here[here["nodes"] == few]
    low, high = _ends("synthetic", dial)
    wide = here.groupby(["repeat", dial])["train_mse"].mean().unstack()
    wide = wide.reindex(columns=[low, high])
    return wide[high] - wide[low]


def _near_best(frame: pd.DataFrame, row: pd.Series) -> Part:
    """Return whether the error of our best setting is near the source's, by an interval."""
    here = frame[frame["data"] == row["data"]]
    for name in ("nets", "nodes", "step"):
        here = here[here[name] == row[f"{name} (ours)"]]
    errors = here["test_mcr"].to_numpy()
    known = np.full(len(errors), row["error (theirs)"])
    return paired(errors, known, overlap=OVERLAP[str(row["data"])]).level(CLOSE)


def _lambda_effect(frame: pd.DataFrame, nets: int) -> pd.Series:
    """Training MSE at lambda* less that at 0, by repeat, on the synthetic set with 5 nodes."""
    rows = frame[(frame["data"] == "synthetic") & (frame["nets"] == nets) & (frame["nodes"] == 5)]
    wide = rows.groupby(["repeat", "step"])["train_mse"].mean().unstack()
    if not {0, STAR} <= set(wide.columns):
        return pd.Series(dtype=float)
    return wide[STAR] - wide[0]


def _lambda_dominates(frame: pd.DataFrame) -> Part:
    """Return whether test MSE on cancer spans more over lambda than over nodes, by repeat."""
    rows = frame[(frame["data"] == "cancer") & (frame["nets"] == 3)]
    spans = {dial: rows.groupby(["repeat", dial])["test_mse"].mean().unstack() for dial in DIALS}
    over = [
        (wide.max(axis=1) - wide.min(axis=1)).where(wide.notna().all(axis=1))
        for wide in spans.values()
    ]
    return paired_by_index(*over, overlap=OVERLAP["cancer"]).above() if len(rows) else None


def best_settings(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the setting with the lowest mean test error of each set."""
    keys = ["data", "nets", "nodes", "step"]
    means = frame.groupby(keys)["test_mcr"].mean().rename("error").reset_index()
    return means.dropna().sort_values("error", kind="stable").drop_duplicates("data")


def draw(frame: pd.DataFrame) -> Figure:
    """Draw training MSE, test MSE and error against nodes and networks, a line per lambda."""
    figure, axes = panels(6 * len(SETTINGS), columns=6, size=(2.6, 2.3))
    shown = (0, 2, 5, STAR)
    for row, data in enumerate(SETTINGS):
        here = frame[frame["data"] == data]
        few = SETTINGS[data][4]
        sides = {"nodes": here[here["nets"] == 3], "nets": here[here["nodes"] == few]}
        for column, (dial, measure) in enumerate((d, m) for d in ("nodes", "nets") for m in SHOWN):
            ax = axes[6 * row + column]
            steps = sorted(set(here["step"]) & set(shown))
            for k, step in enumerate(steps):
                at = sides[dial][sides[dial]["step"] == step]
                mean = at.groupby(dial)[measure].mean()
                ax.plot(mean.index, mean, marker=".", color=colour(k), label=f"{step}/{STAR}")
            if measure == "test_mcr":
                best = float(SOURCE.loc[SOURCE["data"] == data, "error"].iloc[0])
                ax.axhline(best, **THEIRS_LINE, label="source's best")
            ax.set_title(f"{data}: {SHOWN[measure]}", fontsize=9)
            ax.set_xlabel("nodes, 3 networks" if dial == "nodes" else f"networks, {few} nodes")
    axes[2].legend(fontsize=7, frameon=False, title=r"$\lambda / \lambda^*$", title_fontsize=7)
    return figure


CLAIM = Claim(
    topic="network-complexity",
    stream=12,
    title="Networks, nodes and lambda as complexity",
    sentence=(
        "Training error falls with nodes, networks and lambda on liver and synthetic, nodes "
        "counting more than networks, lambda more with many networks. Weak networks (5 nodes) do "
        "best at lambda*, complex ones (40) at 0 on synthetic; nodes overfit liver's MSE; on "
        "cancer lambda dominates. Best test errors: liver 0.294, cancer 0.0692, synthetic 0.0929, "
        "cone-torus 0.1182."
    ),
    source=f"{sources.THESIS}, figures 4.9-4.16 and table 4.2",
    rule=(
        "Nine parts, by 95 % intervals of paired differences over repeats that allow for shared "
        "rows. On liver, and on synthetic, training MSE falls from fewest to most nodes and "
        "networks at lambda*, and from 0 to lambda*. On synthetic: nodes lower it more than do "
        "networks; "
        "lambda does so more with 15 networks than with 3; test MSE is lower at lambda* with 5 "
        "nodes and lower at 0 with 40. Liver's test MSE is higher with 24 nodes than with 3 at "
        "lambda*. Test MSE on cancer spans more over lambda than over nodes. The lowest mean test "
        f"error of each set is within {CLOSE} of table 4.2."
    ),
    setup=(
        "All settings of section 4.8 and all eight lambdas, 25 repeats. A repeat is a new half of "
        "the rows (new samples for the sets in the plane, tested on 1000 points) and a new start. "
        "Columns as they are, a start that knows their ranges, gradients a mean over samples, as "
        "in lambda-star. The best setting of a set is the best of up to 88 by test error, as in "
        "the thesis: that number is too low for what a user would get. The thesis's remarks on "
        "cone-torus, which it calls odd, are drawn but not judged. Thousands of epochs on columns "
        "as they are amplify rounding: kernels that add up in another order changed errors on "
        "liver in the fourth digit, so the first 53 cells were run anew with the others."
    ),
    run=run,
    smoke=[row for row in grid_of(range(2), (0, STAR), 30) if _at_an_end(row)],
    full=with_own_sample(grid_of(range(25), range(STAR + 1), 1)),
    unseeded=["nets", "nodes", "step"],
    judge=judge,
    draw=draw,
    run_version=2,
    rule_version=2,
    rule_changes=(
        "In the first rule three parts were means without an interval, and an interval that could "
        "not be computed counted as failed. Changed after 366 of 3040 cells had been seen."
    ),
)
