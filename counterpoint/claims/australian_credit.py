"""Negative correlation learning against other learners on Australian credit."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import MinMaxScaler

from counterpoint.claims import sources
from counterpoint.claims._pictures import THEIRS_MARK, panels
from counterpoint.claims._shared import error, pruned_cart, rows_and_labels
from counterpoint.claims.comparison import Paired, paired
from counterpoint.claims.protocol import Claim, Verdict, grid, verdict
from counterpoint.networks import (
    EPNetClassifier,
    EvolutionaryEnsembleClassifier,
    NegativeCorrelationClassifier,
)
from counterpoint.plots.style import colour

SOURCE = sources.AUSTRALIAN_CREDIT
NCL = "NCL, strength 0.5"
OWN = "NCL, our defaults"
# Programs of their time that nobody has today: their rows stand without ours.
NOT_TO_BE_HAD = ("Cal5", "ITrule", "DIPOL92", "RBF", "CASTLE", "IndCART")
METHODS = [method for method in SOURCE["method"] if method not in NOT_TO_BE_HAD]
METHODS += ["NCL, strength 0", "NCL, strength 1", OWN]
LEAST = 0.01  # a smaller lead over a rival would not have been printed as one


def run(*, seed: int, repeat: int, method: str) -> dict[str, float]:
    """Train on the first 518 rows of Australian credit, test on the last 172."""
    X, y = rows_and_labels("australian")
    # The source feeds the codes of nominal columns as numbers; so do we.
    numbers = X.apply(lambda column: column.astype(str).astype(float)).to_numpy()
    scaler = MinMaxScaler().fit(numbers[:518])
    model = _model(method, seed)
    model.fit(scaler.transform(numbers[:518]), y[:518])
    return {"test_error": error(model, scaler.transform(numbers[518:]), y[518:])}


def _model(method: str, seed: int) -> Any:
    if method == "EPNet":
        return EPNetClassifier(random_state=seed)
    if method == "Evo-En-RLS":
        return EvolutionaryEnsembleClassifier(random_state=seed)
    if method == "CART":
        return pruned_cart(seed)
    if method == "Logistic regression":
        return LogisticRegression(max_iter=1000)
    if method == "Discriminant analysis":
        return LinearDiscriminantAnalysis()
    if method == "Naive Bayes":
        return GaussianNB()
    if method == OWN:
        return NegativeCorrelationClassifier(4, random_state=seed)
    alone = method == "BP"
    return NegativeCorrelationClassifier(
        1 if alone else 4,
        hidden_layer_sizes=(10,),
        strength=None if alone else float(method.removeprefix("NCL, strength ")),
        output="sigmoid",
        activation="logistic",
        scale=False,
        alpha=0.0,
        max_epochs=250,
        patience=None,
        random_state=seed,
    )


def judge(frame: pd.DataFrame) -> Verdict:
    """Compare with the lecture, and with rivals on the same split."""
    wide = frame.pivot_table(index="repeat", columns="method", values="test_error")
    wide = wide.reindex(columns=[*wide, *(m for m in METHODS if m not in wide)])
    table = pd.DataFrame({"ours": wide.mean(), "sd": wide.std()}).rename_axis("method")
    table = table.reset_index().merge(SOURCE, on="method", how="outer")
    table = table.sort_values("ours", ignore_index=True)
    ncl = wide[NCL].mean()
    of_ncl = wide[NCL].to_numpy()
    parts = {"an error within 0.015 of 0.120": _against(of_ncl, 0.120).level(0.015)}
    rivals = []
    for rival, theirs in (("BP", 0.154), ("CART", 0.145)):
        gap = paired(of_ncl, wide[rival].to_numpy())
        parts[f"below the lecture's {rival}, {theirs}"] = _against(of_ncl, theirs).below()
        parts[f"below our {rival} on the same split"] = gap.below(least=LEAST)
        rivals.append(f"{rival} {wide[rival].mean():.3f} (NCL less {rival}: {gap.words})")
    why = f"NCL {ncl:.3f}, lecture 0.120; {', '.join(rivals)}"
    if wide["Logistic regression"].notna().any():
        why += f"; logistic regression {wide['Logistic regression'].mean():.3f}"
    return verdict(parts, table, f"{why}, all on the same split.")


def _against(values: np.ndarray, number: float) -> Paired:
    """Compare the mean over starts with a number that was printed without a spread."""
    return paired(values, np.full(len(values), number))


def draw(frame: pd.DataFrame) -> Figure:
    """Draw mean errors and their spread, the lecture's hollow."""
    table = judge(frame).table
    figure, (ax,) = panels(1, size=(6.4, 3.6))
    at = np.arange(len(table))
    ax.errorbar(table["ours"], at, xerr=table["sd"].fillna(0.0), fmt="o", color=colour(0))
    ax.plot(table["theirs"], at, **THEIRS_MARK)
    ax.set_yticks(at, table["method"])
    ax.set(
        xlabel="Test error; hollow: the lecture's. Bars: one standard deviation", xlim=(0.08, None)
    )
    ax.grid(axis="y", color="0.9")
    return figure


CLAIM = Claim(
    topic="australian-credit",
    stream=2,
    title="Negative correlation learning on Australian credit",
    sentence=(
        "An ensemble of four networks trained by negative correlation learning has a mean test "
        "error of 0.120 on Australian credit, below back-propagation (0.154) and CART (0.145); "
        "EPNet has 0.115, Evo-En-RLS 0.095."
    ),
    source=f"{sources.LECTURE}, comparison table, after Liu and Yao, Neural Networks 12, 1999.",
    rule=(
        "Five parts, each by the 95 % interval over starts: NCL's mean error is within 0.015 of "
        "0.120, below the lecture's 0.154 and 0.145, and below our own BP and CART on the same "
        f"split; the last two do not hold if a lead of {LEAST} can be excluded."
    ),
    setup=(
        "First 518 rows to train, last 172 to test; inputs scaled to [0, 1], two logistic "
        "outputs, as in the lecture. The lecture gives neither units nor epochs nor lambda nor "
        "repeats: 10 logistic units, 250 epochs of Adam, strength 0.5 (0, 1 and our defaults, "
        "which have weight decay, are shown; the verdict is on 0.5), 25 starts. BP is one such "
        "network. All rows of the lecture but the first three come from another protocol (ten-fold "
        "cross-validation of the Statlog project), so ours stand beside them on the same split, "
        "those of scikit-learn with its defaults; six programs are not to be had. "
        "Error against the last 172 rows moves by 0.006 a row."
    ),
    run=run,
    smoke=grid(repeat=range(2), method=METHODS),
    full=grid(repeat=range(25), method=METHODS),
    unseeded=["method"],
    judge=judge,
    draw=draw,
    findings=(
        "What the lecture leaves out decides, and the strength does not. Tried after the run, on "
        "the same split with 8 starts each: 50, 100, 250 and 1000 epochs gave 0.169, 0.144, 0.156 "
        "and 0.139 at strength 0.5, at most 0.011 away at strengths 0 and 1; weight decay of 0.01 "
        "gave 0.116 at all three. That is logistic regression's error, and column A8 alone has "
        "0.140: the split rewards simple rules. So 0.120 can be reached, but it is no sign of "
        "negative correlation. Why EPNet and Evo-En-RLS are 0.02 to 0.04 above the lecture's was "
        "not looked into."
    ),
    would_be_right=(
        "Networks that were stopped or kept small in a way the lecture does not tell: with "
        "weight decay ours reach 0.116 on this split at any strength, so 0.120 says that its "
        "networks were simple, not that they were negatively correlated. BP and CART must have "
        "been run on other splits (they were: ten-fold cross-validation), since on this one "
        "CART has 0.160."
    ),
    rule_version=2,
    rule_changes=(
        "In the first rule three of five parts were means without an interval. The rows had been "
        "seen."
    ),
)
