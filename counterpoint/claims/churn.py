"""Churn by hidden Markov models, neighbours and networks, on simulated events."""

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from counterpoint.claims import sources
from counterpoint.claims._pictures import THEIRS_LINE, THEIRS_MARK, panels
from counterpoint.claims._shared import train_networks
from counterpoint.claims.comparison import compare, paired, paired_by_index
from counterpoint.claims.parts import Part, every
from counterpoint.claims.protocol import Claim, Scalar, Verdict, grid, verdict
from counterpoint.combiners import combine_ranks
from counterpoint.plots.style import colour
from counterpoint.sequences import (
    EventLog,
    Histories,
    HMMPairClassifier,
    RecentEventsTransformer,
    histories,
    lift_at,
    lift_g,
    make_churn_events,
)
from counterpoint.sequences.hmm_classifier import places

FEATURES = ("event", "duration", "promise")  # those of section 6.3.1
SHARES = (0.002, 0.004, 0.006, 0.008, 0.012)
NATURAL = 0.004  # the share of churn in the source's training data
NEIGHBOURS = (1, 3, 5, 7)
# Of the neighbours: events, and which one after them is predicted.
NEARBY = {"1 event": (1, 1), "2 events": (2, 1), "3 events": (3, 1)}
NEARBY["2 events, one after next"] = (2, 2)
STAR = 8  # lambda runs over 0/8 .. 8/8 of lambda*
STATES = 12
# Of the hidden Markov models: events, states.
SETTINGS = [(length, STATES) for length in range(2, 7)] + [(2, 2), (2, 6), (2, 20), (3, 2), (3, 6)]
COLUMNS = ["repeat", "task", "length", "states", "horizon", "step", "share", "k"]
COLUMNS += ["precision_single", "precision", "g_single", "g"]
RATE = 0.5  # not told; at 0.05 the networks are still too flat to call anybody at lambda 0


def g_of(hits: int, missed: int, false: int, rest: int) -> float:
    """Return equation 6.2 of a confusion matrix as the source prints them, row by row."""
    return hits * (hits + missed + false + rest) / ((hits + false) * (hits + missed))


SOURCE = {str(name): g_of(*row) for name, row in sources.CHURN.iterrows()}


def run(
    *,
    seed: int,
    repeat: int,
    task: str,
    customers: int,
    length: int = 2,
    states: int = STATES,
    starts: int = 8,
    horizon: int = 1,
    step: int = 0,
) -> list[dict[str, Any]]:
    """Simulate customers, split them 60 to 40, and try one method."""
    events = make_churn_events(customers, random_state=seed).events
    log = EventLog.from_frame(events, entity="customer", time="time", type="event")
    made = histories(log, target="churn", length=length, horizon=horizon)
    train, test = made.split_by_entity(0.4, random_state=seed)
    if train.y.sum() < 2 or test.y.sum() == 0:
        return []
    if task == "hmm":
        return _hidden(train, test, states, starts, seed)
    if task == "knn":
        return _neighbours(train, test, length)
    return _networks(train, test, step, seed)


def _hidden(
    train: Histories, test: Histories, states: int, starts: int, seed: int
) -> list[dict[str, Any]]:
    model = HMMPairClassifier(
        states, n_mixtures=4, n_starts=starts, max_iter=12, random_state=seed
    ).fit(train, train.y)
    single = model.member_scores(test)
    # As `model.rank`, but asked once.
    ranked = -places(combine_ranks(single, function=model.combine)).astype(float)
    rows: list[dict[str, Any]] = []
    for share in (*SHARES, float(train.y.mean())):
        each = [lift_at(test.y, scores, share) for scores in single]
        both = lift_at(test.y, ranked, share)
        # NaN: that of the training data.
        rows.append({"share": share if share in SHARES else math.nan})
        for name in ("precision", "g"):
            rows[-1] |= {f"{name}_single": np.mean([one[name] for one in each]), name: both[name]}
    return rows


def _neighbours(train: Histories, test: Histories, length: int) -> list[dict[str, Any]]:
    columns = make_pipeline(
        RecentEventsTransformer(length, columns=list(FEATURES)), StandardScaler()
    )
    X, X_new = columns.fit_transform(train), columns.transform(test)
    rows = []
    for k in NEIGHBOURS:
        calls = KNeighborsClassifier(k).fit(X, train.y).predict(X_new)
        hits = int(((calls == 1) & (test.y == 1)).sum())
        rows.append({"k": k, "g": lift_g(test.y, calls), "called": int(calls.sum()), "hits": hits})
    return rows


def _networks(train: Histories, test: Histories, step: int, seed: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    columns = RecentEventsTransformer(2, columns=list(FEATURES)).fit(train)
    (X, y), (X_new, y_new) = (
        _with_others(part, columns, n, rng) for part, n in ((train, 1000), (test, 10_000))
    )
    model = train_networks(
        X,
        y,
        seed=seed,
        scale=True,
        init="nguyen-widrow",
        n_estimators=3,
        hidden_layer_sizes=10,
        strength=step / STAR,
        learning_rate=RATE,
        max_epochs=2000,
    )
    if model is None:
        return []
    calls = model.predict(X_new)
    hits = int(((calls == 1) & (y_new == 1)).sum())
    return [{"g": lift_g(y_new, calls), "called": int(calls.sum()), "hits": hits}]


def _with_others(
    part: Histories, columns: RecentEventsTransformer, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return all churn rows and at most ``n`` of the others."""
    others = np.flatnonzero(part.y == 0)
    chosen = rng.choice(others, min(n, len(others)), replace=False)
    taken = part.take(np.sort(np.concatenate([np.flatnonzero(part.y == 1), chosen])))
    return columns.transform(taken), taken.y


def grid_of(
    repeats: range,
    customers: int,
    settings: list[tuple[int, int]],
    starts: int,
    steps: Any,
    hidden: int = 10,
) -> list[dict[str, Scalar]]:
    """Return the tasks; within a repeat all see the same customers."""
    made = []
    for repeat in repeats:
        row: dict[str, Scalar] = {"repeat": repeat, "customers": customers}
        for length, horizon in NEARBY.values():
            made.append(row | {"task": "knn", "length": length, "horizon": horizon})
        made += [row | one for one in grid(task=["ncl"], step=steps)]
        if repeat < hidden:  # these take nearly all of the time
            made += [
                row | {"task": "hmm", "length": length, "states": states, "starts": starts}
                for length, states in settings
            ]
    return made


def judge(frame: pd.DataFrame) -> Verdict:
    """Read the chapter's comparisons off the repeats."""
    frame = frame.reindex(columns=COLUMNS)  # a run cut short may lack a task
    hmm = frame[(frame["task"] == "hmm") & (frame["states"] == STATES)]
    top = hmm[hmm["share"] == NATURAL]
    natural = hmm[hmm["share"].isna()]
    three = top[top["length"] == 3]
    combined = paired(three["precision"].to_numpy(), three["precision_single"].to_numpy())
    lengths = compare(top, "length", 3.0, 6.0, "precision_single")
    shorter = compare(natural, "length", 2.0, 3.0, "g")
    knn = frame[frame["task"] == "knn"]
    now = knn[knn["horizon"] == 1]
    one, more = (compare(now, "length", 2.0, other, "g") for other in (1.0, 3.0))
    ncl = frame[frame["task"] == "ncl"]
    falls = compare(ncl, "step", float(STAR), 0.0, "g")
    ours = _our_values(natural, knn, ncl)
    near, hidden = (
        part[part["length"] == 2].groupby("repeat")["g"].mean() for part in (now, natural)
    )
    against = paired_by_index(near, hidden)
    after = knn[(knn["horizon"] == 2) & (knn["length"] == 2)].groupby("repeat")["g"].mean()
    half = paired_by_index(after, near / 2)
    alone = ncl[ncl["step"] == 0].groupby("repeat")["g"].mean()
    worse = [paired_by_index(alone, rival) for rival in (near, hidden)]
    parts = {
        "combined HMMs beat single ones": combined.above(),
        "3 events beat 6 for single HMMs": lengths.above(),
        "2 events beat 3 for combined HMMs": shorter.above(),
        "neighbours: 2 averaged events beat 1": one.above(),
        "neighbours: 2 beat 3": more.above(),
        "the event after the next is predicted less than half as well": half.below(),
        "neighbours beat combined HMMs": against.above(),
        "networks: g falls with lambda": falls.below(),
        "networks are worse than both others": every(gap.below() for gap in worse),
        "precision of combined HMMs is within a factor of 1.5": _factor(three["precision"]),
    }
    rows = [{"g of": name, "ours": ours[name], "theirs": theirs} for name, theirs in SOURCE.items()]
    for part, theirs in sources.CHURN_PRECISION.items():
        name = f"precision, HMM, 3 events, combined, top {part:.1%}"
        taken = hmm[(hmm["length"] == 3) & (hmm["share"] == part)]
        rows.append({"g of": name, "ours": taken["precision"].mean(), "theirs": theirs})
    why = (
        f"Precision at {NATURAL:.1%}: combined less single {combined.difference:+.3f} "
        f"(d = {combined.effect:.2f}), single with 3 events less 6 {lengths.difference:+.3f}. g: "
        f"2 events less 3, HMM {shorter.difference:+.1f}; neighbours, 2 less 1 "
        f"{one.difference:+.1f}, 2 less 3 {more.difference:+.1f}; neighbours less HMM "
        f"{against.difference:+.1f}; networks, lambda* less 0 {falls.difference:+.1f} "
        f"(d = {falls.effect:.2f})."
    )
    return verdict(parts, pd.DataFrame(rows), why)


def _factor(precision: pd.Series) -> Part:
    """Return whether precision is within a factor of 1.5 of the source's, by an interval."""
    values, known = precision.to_numpy(), sources.CHURN_PRECISION[NATURAL]
    low, high = (paired(values, np.full(len(values), known * f)) for f in (1 / 1.5, 1.5))
    return every([low.above(), high.below()])


def _our_values(natural: pd.DataFrame, knn: pd.DataFrame, ncl: pd.DataFrame) -> dict[str, float]:
    two, three = (natural[natural["length"] == length] for length in (2, 3))
    values = {
        "HMM, 2 events, single": two["g_single"].mean(),
        "HMM, 2 events, combined": two["g"].mean(),
        "HMM, 3 events, single": three["g_single"].mean(),
        "HMM, 3 events, combined": three["g"].mean(),
        "networks, lambda 0": ncl[ncl["step"] == 0]["g"].mean(),
        "networks, lambda*": ncl[ncl["step"] == STAR]["g"].mean(),
    }
    for words, (length, horizon) in NEARBY.items():
        rows = knn[(knn["length"] == length) & (knn["horizon"] == horizon)]
        values[f"neighbours, {words}"] = rows["g"].mean()
    return {name: float(value) for name, value in values.items()}


def draw(frame: pd.DataFrame) -> Figure:
    """Draw figures 6.1, 6.2, 6.3 and 6.5."""
    frame = frame.reindex(columns=COLUMNS)
    figure, axes = panels(4, columns=2, size=(4.6, 3.2))
    hmm = frame[frame["task"] == "hmm"]
    at_12 = hmm[hmm["states"] == STATES]
    ax = axes[0]
    shares = at_12.dropna(subset=["share"])
    three = shares[shares["length"] == 3].groupby("share")["precision"].mean()
    ax.plot(100 * three.index, three, color="black", marker="o", label="combined, 3 events")
    for j, (length, rows) in enumerate(shares[shares["length"] >= 3].groupby("length")):
        mean = rows.groupby("share")["precision_single"].mean()
        ax.plot(100 * mean.index, mean, color=colour(j), marker=".", label=f"single, {length:g}")
    xs = [100 * share for share in sources.CHURN_PRECISION]
    ax.plot(xs, list(sources.CHURN_PRECISION.values()), **THEIRS_MARK, label="source, combined, 3")
    ax.set(xlabel="sequences taken as churn (%)", ylabel="precision", title="figure 6.1")
    ax = axes[1]
    natural = hmm[hmm["share"].isna()]
    for j, (length, rows) in enumerate(natural[natural["length"] <= 3].groupby("length")):
        for column, line, words in (("g", "-", "combined"), ("g_single", ":", "single")):
            mean = rows.groupby("states")[column].mean()
            label = f"{words}, {length:g} events"
            ax.plot(mean.index, mean, color=colour(j), linestyle=line, marker=".", label=label)
        theirs = SOURCE[f"HMM, {length:g} events, combined"]
        look = THEIRS_LINE | {"color": colour(j)}
        ax.axhline(theirs, **look, label=f"source, combined, {length:g}")
    ax.set(xlabel="hidden states", ylabel="g", title="figure 6.2")
    ax = axes[2]
    knn = frame[frame["task"] == "knn"]
    for j, (words, (length, horizon)) in enumerate(NEARBY.items()):
        rows = knn[(knn["length"] == length) & (knn["horizon"] == horizon)]
        mean = rows.groupby("k")["g"].mean()
        ax.plot(mean.index, mean, color=colour(j), marker=".", label=words)
        ax.axhline(SOURCE[f"neighbours, {words}"], **(THEIRS_LINE | {"color": colour(j)}))
    ax.set(xlabel="nearest neighbours", ylabel="g", title="figure 6.3 (source dashed)")
    ax = axes[3]
    g = frame[frame["task"] == "ncl"].groupby("step")["g"]
    mean = g.mean()
    half: pd.Series = 1.96 * g.std() / np.sqrt(g.count())
    ax.errorbar(mean.index / STAR, mean, yerr=half, color=colour(0), marker=".", label="ours")
    ends = [SOURCE["networks, lambda 0"], SOURCE["networks, lambda*"]]
    ax.plot([0, 1], ends, **THEIRS_MARK, label="source")
    ax.set(xlabel=r"$\lambda / \lambda^*$", ylabel="g", title="figure 6.5")
    for ax in axes:
        ax.set_ylim(bottom=0)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(fontsize=7, edgecolor="none")
    return figure


CLAIM = Claim(
    topic="churn",
    stream=17,
    title="Churn from event histories",
    sentence=(
        "Rank-combined HMMs beat single ones (precision just over 0.3 at the top 0.4 %); short "
        "histories beat long ones, 2 events the best; neighbours on 2 averaged events (g 149) beat "
        "1 (5) and 3 (128) and the HMMs (118), but not for the event after the next (19); networks "
        "lose g as lambda grows (23 to 16)."
    ),
    source=f"{sources.THESIS}, chapter 6, figures 6.1-6.3 and 6.5, confusion matrices 6.3-6.12",
    rule=(
        "Ten parts; 'beats' means that the 95 % interval of the paired difference over repeats "
        "stays on one side of 0. Combined HMMs beat the mean of single ones in precision at the "
        "top 0.4 %, 3 events; single ones with 3 events beat those with 6; combined ones with 2 "
        "events beat those with 3 in g. Neighbours (mean of k = 1, 3, 5, 7): 2 events beat 1; beat "
        "3; the event after the next has less than half of the g; 2 events beat HMMs of 2. "
        "Networks: g at lambda* is below that at 0; at 0 it is below neighbours and HMMs. "
        "Precision of combined HMMs at the top 0.4 % is within a factor of 1.5 of 0.3."
    ),
    setup=(
        "The data are private: 8080 simulated customers per repeat, with the shape the thesis "
        "describes and a memory of two events that we planted, so short histories winning shows "
        "that methods find it, not that real customers are so. 20 repeats, 10 for HMMs; 8 starts "
        "combined (the thesis does not say how many), 4 Gaussians a state, 12 iterations, 2 to 20 "
        "states. Single HMMs also take the top of their ranking; the thesis's confusion matrices "
        "suggest that they took what the priors gave. Columns are standardised for neighbours and "
        "networks, since units are ours. Networks see 2 averaged events; their rate is not told, "
        "and is 0.5 here, since at 0.05 nobody is called after 2000 epochs at lambda 0. Where "
        "nobody is called g is undefined, and the pair is left out."
    ),
    run=run,
    smoke=grid_of(range(2), 1200, [(2, 12), (3, 12), (6, 12)], 2, (0, STAR)),
    full=grid_of(range(20), 8080, SETTINGS, 8, range(STAR + 1), hidden=10),
    unseeded=["task", "length", "states", "starts", "horizon", "step"],
    judge=judge,
    draw=draw,
    findings=(
        "Neighbours stay behind HMMs on simulated customers because of the averaging. On two "
        "samples they reach a g of 62 to 172 on averaged events, standardised or not, but 225 to "
        "315 on the same two events side by side, near the 317 and 324 of the planted risk itself. "
        "The thesis chose averages to have fewer columns; on its data they cost less. "
        "Networks: in four repeats g was 17 to 20 at lambda 0, near the thesis's 23, and 17 to 31 "
        "at lambda*: on these customers the more complex fit makes fewer calls in vain, not more."
    ),
    would_be_right=(
        "The mean of a customer's last two events would have to say nearly as much as the events "
        "in their order. It does where few pairs of events have the same mean; in ours, where risk "
        "is planted in pairs of the same sore kind, many other pairs have. And numbers of hidden "
        "states, Gaussians and iterations that are enough here, where HMMs of two events reach two "
        "thirds of what the planted risk itself would, would have to be too few on the thesis's "
        "own data."
    ),
    rule_version=2,
    rule_changes=(
        "In the first rule three of ten parts were means without an interval, and an interval "
        "that could not be computed counted as failed. Changed after 18 of 360 cells had been "
        "seen."
    ),
)
