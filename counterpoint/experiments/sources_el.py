"""R1-R3: the tables of the ensemble-learning lecture (EL).

An independent vote's error, negative correlation learning on Australian credit, bagged trees.
"""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MinMaxScaler

from counterpoint.datasets import load, make_waveform
from counterpoint.diversity import independent_vote_error
from counterpoint.experiments._claims_common import (
    THEIRS_MARK,
    encoded,
    error,
    panels,
    rows_and_labels,
    share,
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
from counterpoint.networks import (
    EPNetClassifier,
    EvolutionaryEnsembleClassifier,
    NegativeCorrelationClassifier,
)
from counterpoint.plots.style import colour
from counterpoint.trees import PrunedTreeClassifier

__all__ = ["CLAIMS", "R1", "R2", "R3"]

_EL = "Lecture slides 'Ensemble Learning' (EL)"

# R1 ------------------------------------------------------------------------------------------

_VOTES = pd.DataFrame(
    {
        "n_members": [5, 5, 5, 10, 10, 10, 20, 20, 20],
        "member_error": [0.1, 0.2, 0.4] * 3,
        "theirs": [
            0.008560,
            0.057920,
            0.317440,
            0.000147,
            0.006369,
            0.166239,
            0.000001,
            0.000563,
            0.127521,
        ],
    }
)


def run_vote(*, seed: int, n_members: int, member_error: float) -> dict[str, float]:
    """Return the error of a majority of independent members; no chance in it, so no repeats."""
    return {"vote_error": independent_vote_error(member_error, n_members)}


def _vote_experiment(size: Size) -> Experiment:
    errors = [0.1, 0.2, 0.4] if size == "smoke" else [round(k / 40, 3) for k in range(1, 21)]
    cells = grid(n_members=[5, 10, 20], member_error=errors)
    return Experiment("R1" if size == "full" else "R1-smoke", run_vote, cells)


def _judge_vote(frame: pd.DataFrame) -> Verdict:
    keys = ["n_members", "member_error"]
    table = _VOTES.merge(frame[[*keys, "vote_error"]], on=keys, how="inner")
    table = table.rename(columns={"vote_error": "ours"})[[*keys, "ours", "theirs"]]
    names = [f"{row.n_members} members of error {row.member_error}" for row in table.itertuples()]
    same = dict(zip(names, table["ours"].round(6) == table["theirs"], strict=True))
    return verdict(same, table, f"To six digits the same: {share(same)}.")


def _draw_vote(frame: pd.DataFrame) -> Figure:
    figure, (ax,) = panels(1, size=(5.6, 4.2))
    for k, (n, part) in enumerate(frame.groupby("n_members")):
        part = part.sort_values("member_error")
        ax.plot(part["member_error"], part["vote_error"], "-", color=colour(k), label=f"{n}")
    label = "EL's table"
    ax.plot(_VOTES["member_error"], _VOTES["theirs"], label=label, **THEIRS_MARK)
    alone = np.linspace(0.005, 0.5, 100)
    ax.plot(alone, alone, color="0.6", linewidth=1, zorder=0, label="1")
    ax.set(xlabel="Error of a member", ylabel="Error of the vote", yscale="log", ylim=(3e-7, 1))
    ax.legend(title="Members", frameon=False)
    return figure


R1 = Claim(
    id="R1",
    title="The error of an independent vote",
    sentence=(
        "Five, ten and twenty independent members of error 0.1, 0.2 and 0.4 make a majority vote "
        "of error 0.008560 to 0.317440, 0.000147 to 0.166239 and 0.000001 to 0.127521."
    ),
    source=f"{_EL}, table of the error of majority voting.",
    rule=(
        "Reproduced if all nine numbers agree to the six digits printed; differs if some do; else "
        "not reproduced."
    ),
    setup="None: it is arithmetic. A tie of an even number of members counts as right, as in EL.",
    experiment=_vote_experiment,
    judge=_judge_vote,
    draw=_draw_vote,
)

# R2 ------------------------------------------------------------------------------------------

_CREDIT = pd.DataFrame(
    {
        "method": [
            "NCL, strength 0.5",
            "EPNet",
            "Evo-En-RLS",
            "BP",
            "CART",
            "Logistic regression",
        ],
        "theirs": [0.120, 0.115, 0.095, 0.154, 0.145, 0.141],
    }
)
_NCL = "NCL, strength 0.5"
_OWN = "NCL, our defaults"
_CREDIT_METHODS = [*_CREDIT["method"], "NCL, strength 0", "NCL, strength 1", _OWN]


def run_credit(*, seed: int, repeat: int, method: str) -> dict[str, float]:
    """Train on the first 518 rows of Australian credit, test on the last 172."""
    X, y = rows_and_labels("australian")
    # The source feeds the codes of nominal columns as numbers; so do we.
    numbers = X.apply(lambda column: column.astype(str).astype(float)).to_numpy()
    scaler = MinMaxScaler().fit(numbers[:518])
    model = _credit_model(method, seed)
    model.fit(scaler.transform(numbers[:518]), y[:518])
    return {"test_error": error(model, scaler.transform(numbers[518:]), y[518:])}


def _credit_model(method: str, seed: int) -> Any:
    if method == "EPNet":
        return EPNetClassifier(random_state=seed, progress=False)
    if method == "Evo-En-RLS":
        return EvolutionaryEnsembleClassifier(random_state=seed, progress=False)
    if method == "CART":
        return _cart(seed)
    if method == "Logistic regression":
        return LogisticRegression(max_iter=1000)
    if method == _OWN:
        return NegativeCorrelationClassifier(4, progress=False, random_state=seed)
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
        n_iter_no_change=None,
        progress=False,
        random_state=seed,
    )


def _cart(seed: int) -> PrunedTreeClassifier:
    return PrunedTreeClassifier(
        "cost-complexity", cv=10, split_criterion="gini", min_samples_leaf=1, random_state=seed
    )


def _credit_experiment(size: Size) -> Experiment:
    repeats = 2 if size == "smoke" else 25
    cells = grid(repeat=range(repeats), method=_CREDIT_METHODS)
    name = "R2" if size == "full" else "R2-smoke"
    return Experiment(name, run_credit, cells, unseeded=["method"])


def _judge_credit(frame: pd.DataFrame) -> Verdict:
    wide = frame.pivot_table(index="repeat", columns="method", values="test_error")
    table = pd.DataFrame({"ours": wide.mean(), "sd": wide.std()}).rename_axis("method")
    table = table.reset_index().merge(_CREDIT, on="method", how="left")
    table = table.sort_values("ours", ignore_index=True)
    ncl = wide[_NCL].mean()
    parts = {"an error within 0.015 of 0.120": abs(ncl - 0.120) <= 0.015}
    said = []
    for rival, theirs in (("BP", 0.154), ("CART", 0.145)):
        gap = paired(wide[_NCL].to_numpy(), wide[rival].to_numpy())
        parts[f"below EL's {rival}, {theirs}"] = ncl < theirs
        parts[f"below our {rival} on the same split"] = gap.interval[1] < 0
        said.append(f"{rival} {wide[rival].mean():.3f} (NCL less {rival}: {gap.difference:+.3f})")
    why = f"NCL {ncl:.3f}, EL 0.120; {', '.join(said)}"
    if "Logistic regression" in wide:
        why += f"; logistic regression {wide['Logistic regression'].mean():.3f}"
    return verdict(parts, table, f"{why}, all on the same split.")


def _draw_credit(frame: pd.DataFrame) -> Figure:
    table = _judge_credit(frame).table
    figure, (ax,) = panels(1, size=(6.4, 3.6))
    at = np.arange(len(table))
    ax.errorbar(table["ours"], at, xerr=table["sd"].fillna(0.0), fmt="o", color=colour(0))
    ax.plot(table["theirs"], at, **THEIRS_MARK)
    ax.set_yticks(at, table["method"])
    ax.set(xlabel="Test error; hollow: EL. Bars: one standard deviation", xlim=(0.08, None))
    ax.grid(axis="y", color="0.9")
    return figure


R2 = Claim(
    id="R2",
    title="Negative correlation learning on Australian credit",
    sentence=(
        "An ensemble of four networks trained by negative correlation learning has a mean test "
        "error of 0.120 on Australian credit, below back-propagation (0.154) and CART (0.145); "
        "EPNet has 0.115, Evo-En-RLS 0.095."
    ),
    source=f"{_EL}, comparison table, after Liu and Yao, Neural Networks 12, 1999.",
    rule=(
        "Reproduced if NCL's mean error is within 0.015 of 0.120, below EL's 0.154 and 0.145, and "
        "below our own BP and CART on the same split (95 % interval of the difference below 0). "
        "Differs if some of these hold, not reproduced if none."
    ),
    setup=(
        "First 518 rows to train, last 172 to test; inputs scaled to [0, 1], two logistic outputs, "
        "as in EL. EL gives neither units nor epochs nor lambda nor repeats: 10 logistic units, "
        "250 epochs of Adam, strength 0.5 (0, 1 and our defaults, which have weight decay, are "
        "shown; the verdict is on 0.5), 25 starts. "
        "BP is one such network. EL's BP, CART and logistic row come from another protocol "
        "(ten-fold cross-validation of the Statlog project), so ours stand beside them on the "
        "same split. Error against the last 172 rows moves by 0.006 a row."
    ),
    experiment=_credit_experiment,
    judge=_judge_credit,
    draw=_draw_credit,
    findings=(
        "What EL leaves out decides, and the strength does not. Tried after the run, on the same "
        "split with 8 starts each: 50, 100, 250 and 1000 epochs gave 0.169, 0.144, 0.156 and 0.139 "
        "at strength 0.5, at most 0.011 away at strengths 0 and 1; weight decay of 0.01 gave 0.116 "
        "at all three. That is logistic regression's error, and column A8 alone has 0.140: the "
        "split rewards simple rules. So 0.120 can be reached, but it is no sign of negative "
        "correlation. Why EPNet and Evo-En-RLS are 0.02 to 0.04 above EL's was not looked into."
    ),
)

# R3 ------------------------------------------------------------------------------------------

_BAGGING = pd.DataFrame(
    {
        "data": [
            "waveform",
            "heart",
            "breast cancer",
            "ionosphere",
            "diabetes",
            "glass",
            "soybean",
        ],
        "n_test": [1500, 54, 100, 25, 250, 20, 25],
        "tree_theirs": [29.0, 10.0, 6.0, 11.2, 23.4, 32.0, 14.5],
        "bagging_theirs": [19.4, 5.3, 4.2, 8.6, 18.8, 24.9, 10.6],
        "decrease_theirs": [33, 47, 30, 23, 20, 22, 27],
    }
)
# Not the source's data: shown, but not counted.
_STAND_INS = ("heart", "diabetes, each row once")


def run_bagging(*, seed: int, repeat: int, data: str, n_trees: int) -> dict[str, float]:
    """Compare one tree with a vote of bagged trees on a random split."""
    rng = np.random.default_rng(seed)
    n_test = int(_BAGGING.set_index("data")["n_test"][data.split(",")[0]])
    X, y = _bagging_rows(data, rng)
    order = rng.permutation(len(y))
    train, test = order[n_test:], order[:n_test]
    A, B = encoded(X, train, test)
    with warnings.catch_warnings():
        # Classes with fewer rows than folds: glass, soybean.
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        tree = _cart(seed).fit(A, y[train])
        tally = np.zeros((n_test, y.max() + 1))
        for _ in range(n_trees):
            rows = rng.integers(len(train), size=len(train))
            member = _cart(int(rng.integers(2**31))).fit(A[rows], y[train][rows])
            tally[np.arange(n_test), member.predict(B)] += 1
    return {
        "tree_error": error(tree, B, y[test]),
        "bagging_error": float(np.mean(tally.argmax(axis=1) != y[test])),
    }


def _bagging_rows(data: str, rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
    if data == "waveform":
        made, y = make_waveform(1800, fixed_sizes=False, random_state=int(rng.integers(2**31)))
        return pd.DataFrame(made), y
    if data == "soybean":
        table = load("soybean-large")
        first = (table.split == "train").to_numpy()
        X, labels = table.X[first], table.y[first].astype(str).to_numpy(dtype=str)
    else:
        names = {"heart": "heart-cleveland", "breast cancer": "breast-w"}
        name = "pima" if data.startswith("diabetes") else names.get(data, data)
        X, labels = rows_and_labels(name)
    y = np.unique(labels, return_inverse=True)[1]
    if data == "diabetes":  # 500 + 2 * 268 = 1036, the source's size
        rows = np.concatenate([np.arange(len(y)), np.flatnonzero(y == np.bincount(y).argmin())])
        return X.iloc[rows], y[rows]
    return X, y


def _bagging_experiment(size: Size) -> Experiment:
    if size == "smoke":
        cells = grid(repeat=range(2), data=["breast cancer", "glass"], n_trees=[5])
        return Experiment("R3-smoke", run_bagging, cells)
    data = [*_BAGGING["data"], "diabetes, each row once"]
    return Experiment("R3", run_bagging, grid(repeat=range(100), data=data, n_trees=[50]))


def _judge_bagging(frame: pd.DataFrame) -> Verdict:
    rows = []
    for data, part in frame.groupby("data", sort=False):
        gap = paired(part["bagging_error"].to_numpy(), part["tree_error"].to_numpy())
        one, many = 100 * part["tree_error"].mean(), 100 * part["bagging_error"].mean()
        rows.append(
            {
                "data": data,
                "trials": len(part),
                "tree_ours": one,
                "bagging_ours": many,
                "decrease_ours": 100 * (1 - many / one) if one > 0 else np.nan,
                "p": gap.p,
                "lower": gap.interval[1] < 0,
            }
        )
    table = pd.DataFrame(rows).merge(_BAGGING.drop(columns="n_test"), on="data", how="left")
    counted = table[~table["data"].isin(_STAND_INS)]
    ours, theirs = counted["decrease_ours"], counted["decrease_theirs"]
    lower = dict(zip(counted["data"], counted["lower"], strict=True))
    within = dict(zip(counted["data"], ours.between(19.5, 47.5), strict=True))
    near = dict(zip(counted["data"], (ours - theirs).abs() <= 10, strict=True))
    enough = 2 / 3 * len(counted)
    parts = {
        "lower error on every set": all(lower.values()),
        "20 to 47 % lower on two thirds": sum(within.values()) >= enough,
        "within 10 points of EL's decrease on two thirds": sum(near.values()) >= enough,
    }
    why = (
        f"Bagging is lower on {share(lower)}, by 20 to 47 % on {share(within)}, within 10 points "
        f"of EL's decrease on {share(near)}; mean decrease {ours.mean():.0f} %, "
        f"EL {theirs.mean():.0f} %."
    )
    return verdict(parts, table, why)


def _draw_bagging(frame: pd.DataFrame) -> Figure:
    table = _judge_bagging(frame).table
    figure, (ax,) = panels(1, size=(7.2, 4.0))
    at = np.arange(len(table))
    for k, (column, label) in enumerate([("tree", "one tree"), ("bagging", "bagged trees")]):
        x = at + 0.2 * (2 * k - 1)
        ax.bar(x, table[f"{column}_ours"], width=0.38, color=colour(1 - k), label=label)
        ax.plot(x, table[f"{column}_theirs"], label="EL" if k else None, **THEIRS_MARK)
    names = [f"{name}*" if name in _STAND_INS else name for name in table["data"]]
    ax.set_xticks(at, [name.replace(", ", ",\n") for name in names], rotation=30, ha="right")
    ax.set(ylabel="Test error in %", xlabel="* not the source's data")
    ax.legend(frameon=False)
    return figure


R3 = Claim(
    id="R3",
    title="Bagging fifty trees",
    sentence=(
        "A vote of 50 bagged classification trees errs 20 to 47 % less than one tree on waveform, "
        "heart, breast cancer, ionosphere, diabetes, glass and soybean, over 100 random splits."
    ),
    source=f"{_EL}, 'Bagging: a classification example', after Breiman, Machine Learning 24, 1996.",
    rule=(
        "On the six sets that are the source's (not heart): reproduced if bagging's error is lower "
        "on every one (95 % interval of the paired difference below 0), the decrease is 20 to 47 % "
        "on two thirds of them, and within 10 points of EL's on two thirds. Differs if some of the "
        "three hold, not reproduced if none."
    ),
    setup=(
        "Trees as EL says: Gini, pruned by ten-fold cross-validated cost-complexity, single and "
        "bagged alike. EL's heart (1395 rows, 16 columns) is not public: Cleveland's 303 rows "
        "stand in, with the same share to test. Diabetes has 1036 rows in EL, which is pima with "
        "the smaller class twice (500 + 2 x 268): so it is here, and, beside it, with each row "
        "once, since copies end up on both sides of a split. Soybean is the 307 rows of its "
        "training part, nominal columns one-hot, missing values as a value of their own."
    ),
    experiment=_bagging_experiment,
    judge=_judge_bagging,
    draw=_draw_bagging,
)

CLAIMS = (R1, R2, R3)
