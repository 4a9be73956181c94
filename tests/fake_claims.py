"""Claims that take no time, for the tests of what runs and shows claims."""

import time
from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from counterpoint.experiments import claims
from counterpoint.experiments.protocol import Claim, Experiment, grid, verdict


def run(*, seed, repeat, method, fail=(), pause=0.0):
    time.sleep(pause)
    if repeat in fail:
        raise ArithmeticError(f"no luck with {repeat}")
    return {"error": round(0.1 * repeat + 0.01 * (method == "theirs"), 3)}


def judge(frame):
    ours = frame.groupby("method", as_index=False)["error"].mean()
    table = ours.rename(columns={"error": "ours"}).assign(theirs=[0.2, None][: len(ours)])
    parts = {"below a half": bool(frame["error"].mean() < 0.5), "all": len(frame) >= 4}
    return verdict(parts, table, f"{len(frame)} rows.")


def judge_badly(frame):
    raise KeyError("no such column")


def draw(frame):
    figure = Figure(figsize=(3, 2))
    figure.subplots().plot(frame["error"])
    return figure


def make(id_, *, n=3, fail=(), pause=0.0, **changes):
    def experiment(size):
        values = grid(repeat=range(n if size == "full" else 1), method=["ours", "theirs"])
        name = id_ if size == "full" else f"{id_}-smoke"
        call = partial(run, fail=fail, pause=pause)
        return Experiment(name, call, values, unseeded=["method"])

    options = {
        "title": f"Title of {id_}",
        "sentence": "It errs less than <b>that</b>.",
        "source": "Somebody, table 1.",
        "rule": "Reproduced if it is below a half.",
        "setup": "Other seeds.",
        "experiment": experiment,
        "judge": judge,
        "draw": draw,
    }
    return Claim(id=id_, **options | changes)


def install(monkeypatch, *made):
    """Let the command find these claims and no others."""
    by_id = {one.id: one for one in made}

    def claim(id_):
        if id_.upper() not in by_id:
            raise ValueError(f"There is no claim {id_!r}: they are {list(by_id)}.")
        return by_id[id_.upper()]

    monkeypatch.setattr(claims, "CLAIM_IDS", tuple(by_id))
    monkeypatch.setattr(claims, "claim", claim)


def empty_table(frame):
    return verdict({"is there": True}, pd.DataFrame(), "Nothing to show.")
