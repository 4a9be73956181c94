"""Sigmoid outputs beyond lambda*: members at 0 or 1, the ensemble at k/N."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.special import expit

from counterpoint.claims import sources
from counterpoint.claims._pictures import panels
from counterpoint.claims._shared import thesis_data, train_networks
from counterpoint.claims.comparison import Paired, compare
from counterpoint.claims.parts import Part, every, in_share
from counterpoint.claims.protocol import Claim, Verdict, grid, verdict
from counterpoint.plots.style import colour

N = 3
LAM_STAR = 0.75
SHARES = (0.9, 1.0, 1.1, 1.5, 2.0)  # of lambda*
TARGETS = (0.2, 0.45, 0.9)  # of ideal outputs; none is k/3
NEAR = 0.05


def run(*, seed: int, repeat: int, what: str, share: float, steps: int) -> list[dict[str, Any]]:
    """Let ideal outputs go down their gradient (equation A.1), or train networks."""
    return _ideal(seed, share, steps) if what == "ideal" else _networks(seed, share, steps)


def _ideal(seed: int, share: float, steps: int) -> list[dict[str, Any]]:
    start = np.random.default_rng(seed).normal(0, 0.5, N)
    theta, rate = 1 - 2 * share * LAM_STAR * (1 - 1 / N), 0.5
    rows = []
    for d in TARGETS:
        a = start.copy()
        for _ in range(steps):
            f = expit(a)
            a -= rate * ((f.mean() - d) + theta * (f - f.mean())) * f * (1 - f)
        rows.append({"target": d} | _describe(expit(a)[:, None], np.array([d])))
    return rows


def _networks(seed: int, share: float, steps: int) -> list[dict[str, Any]]:
    X, y = thesis_data("synthetic", seed)
    model = train_networks(
        X,
        y,
        seed=seed,
        n_estimators=N,
        hidden_layer_sizes=10,
        lam=share * LAM_STAR,
        output="sigmoid",
        learning_rate=0.5,
        max_epochs=steps,
    )
    if model is None:
        return []
    outputs = model.member_decision_function(X)[:, :, 1]
    return [_describe(outputs, y.astype(float)) | {"error": float(np.mean(model.predict(X) != y))}]


def _describe(outputs: np.ndarray, targets: np.ndarray) -> dict[str, float]:
    """Return how far members are from 0 and 1, the ensemble from k/N and from the target."""
    mean = outputs.mean(axis=0)
    from_k = np.abs(N * mean - np.round(N * mean)) / N
    return {
        "members_from_ends": float(np.minimum(outputs, 1 - outputs).mean()),
        "ensemble_from_k": float(from_k.mean()),
        "ensemble_from_target": float(np.abs(mean - targets).mean()),
    }


def judge(frame: pd.DataFrame) -> Verdict:
    """Read off where members and ensembles end, below, at and beyond lambda*."""
    ideal, networks = (frame[frame["what"] == what] for what in ("ideal", "networks"))
    beyond = [share for share in SHARES if share > 1]
    at = {share: ideal[ideal["share"] == share] for share in SHARES}
    nearer = _gap(networks, beyond[-1], 1.0, "ensemble_from_k")
    parts: dict[str, Part] = {
        "ideal outputs reach their target at lambda*": in_share(
            at[1.0]["ensemble_from_target"] < NEAR, 0.75
        ),
        "beyond it members end at 0 or 1": every(
            in_share(at[share]["members_from_ends"] < NEAR, 0.75) for share in beyond[1:]
        ),
        "and the ensemble at k/N, whatever its target": every(
            in_share(at[share]["ensemble_from_k"] < NEAR, 0.75) for share in beyond[1:]
        ),
        "networks: the ensemble is nearer to k/N at twice lambda* than at lambda*": nearer.below(),
    }
    columns = ["members_from_ends", "ensemble_from_k", "ensemble_from_target"]
    table = frame.groupby(["what", "share"])[columns].mean().add_suffix(" (ours)").reset_index()
    table["theirs"] = np.where(table["share"] > 1, "members at 0 or 1, ensemble at k/N", "stable")
    why = f"Networks, twice lambda* less lambda*, distance to k/N: {nearer.words}."
    return verdict(parts, table, why)


def _gap(rows: pd.DataFrame, first: float, second: float, value: str) -> Paired:
    return compare(rows, "share", first, second, value)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw the three distances against lambda, ideal outputs and networks."""
    figure, axes = panels(2, columns=2, size=(4.4, 3.2))
    names = ("members_from_ends", "ensemble_from_k", "ensemble_from_target")
    for ax, what in zip(axes, ("ideal", "networks"), strict=True):
        mean = frame[frame["what"] == what].groupby("share")[list(names)].mean()
        for k, name in enumerate(names):
            ax.plot(mean.index, mean[name], "o-", color=colour(k), label=name.replace("_", " "))
        ax.axvline(1, color="black", linestyle="--", linewidth=1)
        ax.set(title=what, xlabel=r"$\lambda / \lambda^*$", ylabel="mean distance")
        ax.legend(frameon=False, fontsize="x-small")
    return figure


CLAIM = Claim(
    topic="sigmoid-outputs",
    stream=22,
    title="Sigmoid outputs beyond lambda*",
    sentence=(
        "With sigmoid outputs and lambda above lambda*, members are driven to 0 or 1 and the "
        "ensemble to k/N whatever its target; the state in which the ensemble is right is stable "
        "at lambda* only."
    ),
    source=f"{sources.THESIS}, section 4.4 and appendix A",
    rule=(
        "Four parts. Outputs that go down their own gradient (equation A.1), in more than three "
        f"starts of four by Wilson's interval: at lambda* the ensemble is within {NEAR} of its "
        f"target; at 1.5 and 2 lambda* members are within {NEAR} of 0 or 1, and the ensemble of "
        "k/3. Three networks on the synthetic set: the ensemble's outputs are nearer to k/3 at 2 "
        "lambda* than at lambda* (95 % interval over starts)."
    ),
    setup=(
        "25 starts; ideal outputs for targets 0.2, 0.45 and 0.9 and 20,000 steps of rate 0.5; "
        "three networks of ten units, 3000 epochs of rate 0.5. The thesis argues, without numbers."
    ),
    run=run,
    smoke=grid(repeat=range(2), what=["ideal", "networks"], share=[1.0, 2.0], steps=[200]),
    full=[
        *grid(repeat=range(25), what=["ideal"], share=SHARES, steps=[20_000]),
        *grid(repeat=range(25), what=["networks"], share=SHARES, steps=[3000]),
    ],
    unseeded=["what", "share", "steps"],
    judge=judge,
    draw=draw,
)
