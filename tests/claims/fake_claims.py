"""Claims that take no time, for the tests of what runs and shows claims."""

import itertools
import time
from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from counterpoint.claims import Claim, grid, records, registry, verdict

_codes = itertools.count()


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


def make(topic, *, n=3, fail=(), pause=0.0, **changes):
    options = {
        "stream": 1000 + sum(map(ord, topic)),
        "title": f"Title of {topic}",
        "sentence": "It errs less than <b>that</b>.",
        "source": "Somebody, table 1.",
        "rule": "Reproduced if it is below a half.",
        "setup": "Other seeds.",
        "run": partial(run, fail=fail, pause=pause),
        "smoke": grid(repeat=[0], method=["ours", "theirs"]),
        "full": grid(repeat=range(n), method=["ours", "theirs"]),
        "judge": judge,
        "draw": draw,
        "unseeded": ["method"],
    }
    return Claim(topic=topic, **options | changes)


def install(monkeypatch, *made):
    """Let the command find these claims and no others."""
    by_topic = {one.topic: one for one in made}

    def claim(topic):
        if topic.lower() not in by_topic:
            raise ValueError(f"There is no claim {topic!r}: they are {list(by_topic)}.")
        return by_topic[topic.lower()]

    monkeypatch.setattr(registry, "TOPICS", tuple(by_topic))
    monkeypatch.setattr(registry, "claim", claim)
    # The code of these claims is in no file of the package.
    code = f"fake {next(_codes)}"
    monkeypatch.setattr(records, "package_hash", lambda: code)


def empty_table(frame):
    return verdict({"is there": True}, pd.DataFrame(), "Nothing to show.")
