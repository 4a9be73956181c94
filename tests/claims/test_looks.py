"""Looks at an unfinished run: what they decide, at which error, and in which words."""

import math
import re

import fake_claims
import numpy as np
import pandas as pd
import pytest

from counterpoint.claims import Experiment, Store, grid, judge_claim, verdict
from counterpoint.claims.comparison import TEN_FOLDS, compare, paired, unpaired
from counterpoint.claims.confidence import at_a_look, confidence
from counterpoint.claims.looks import decision, looks, run_until_decided, verdict_at
from counterpoint.claims.overview import MARKS
from counterpoint.claims.page import summarise_claim, summarise_reproductions, write_reproductions
from counterpoint.claims.parts import in_share, lower, near, within

N = 10


def run(*, seed, repeat, fold, method, gap=0.0):
    noise = np.random.default_rng([seed, fold]).normal(size=3)
    at = {"ours": gap + 0.1 * noise[0], "theirs": 0.1 * noise[1], "third": -1 + 0.1 * noise[2]}
    return {"error": at[method]}


def judge(frame):
    parts = {
        rival: compare(
            frame, "method", "ours", rival, "error", unit=["repeat", "fold"], overlap=TEN_FOLDS
        ).below()
        for rival in ("theirs", "third")
    }
    return verdict(parts, pd.DataFrame({"rows": [len(frame)]}), f"{len(frame)} rows.")


def make(gap, **changes):
    def shifted(**options):
        return run(gap=gap, **options)

    full = grid(repeat=range(N), fold=range(4), method=["ours", "theirs", "third"])
    return fake_claims.make(
        "looked", run=shifted, full=full, judge=judge, unseeded=["fold", "method"], **changes
    )


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "cells.sqlite") as store:
        yield store


@pytest.mark.parametrize(
    ("n", "sizes"), [(1, []), (2, [1]), (3, [1, 2]), (8, [1, 2, 4]), (9, [1, 2, 4, 8])]
)
def test_looks_share_five_per_cent(n, sizes):
    made = looks(Experiment("m", print, grid(repeat=range(n), x=[0, 1])))
    assert [look.n_repeats for look in made] == sizes
    assert [len(look.experiment.values) for look in made] == [2 * size for size in sizes]
    assert all(look.of_repeats == n for look in made)
    if made:
        assert sum(1 - look.confidence for look in made) == pytest.approx(0.05)


def test_no_repeats_no_looks():
    assert looks(Experiment("m", print, grid(x=[0, 1]))) == []


def test_what_is_only_drawn_comes_last():
    experiment = Experiment("m", print, grid(repeat=range(2), x=[0, 1, 2]))
    (look,) = looks(experiment, {"x": (0, 2)})
    assert look.experiment.values == [{"repeat": 0, "x": 1}]
    third = fake_claims.make("drawn", drawn_only={"method": ["ours", "theirs"]})
    assert looks(third.experiment("full"), third.drawn_only) == []


def test_without_an_effect_few_runs_are_decided_wrongly():
    """Folds share training rows: values of one run have a part in common, which the looks see."""
    rng, n_runs, n = np.random.default_rng(0), 600, 20
    levels = looks(Experiment("m", print, grid(repeat=range(n))))
    for folds, overlap in ((1, 0.0), (10, TEN_FOLDS)):
        common = rng.normal(scale=math.sqrt(overlap), size=(n_runs, 1, 1))
        # Overlap v / (1 + v) of the variance in common gives the mean that of Nadeau and Bengio.
        values = common + rng.normal(size=(n_runs, n, folds))
        wrong = uncorrected = 0
        for one in values:
            seen = [one[: look.n_repeats].ravel() for look in levels]
            at = []
            for look, gaps in zip(levels, seen, strict=True):
                with at_a_look(look.confidence):
                    at.append(paired(gaps, np.zeros(len(gaps)), overlap=overlap).below())
            wrong += any(part is not None for part in at)
            uncorrected += any(
                paired(gaps, np.zeros(len(gaps)), overlap=overlap).below() is not None
                for gaps in seen
            )
        assert wrong / n_runs <= 0.05
        assert uncorrected / n_runs > 0.07  # what it is for


def test_a_claim_that_is_decided_stops(store):
    claim = make(gap=-0.5)
    found = run_until_decided(claim, store)
    assert found.look.n_repeats == 1
    assert found.verdict.parts == {"theirs": True, "third": False}
    assert len(store.done(claim.experiment("full"))) == 12
    judged = judge_claim(claim, store)
    assert judged.verdict.word == "differs"
    assert not judged.complete
    assert run_until_decided(claim, store).look.n_repeats == 1  # again: nothing is run
    assert len(store.done(claim.experiment("full"))) == 12


def test_a_claim_that_is_not_decided_runs_to_its_end(store):
    claim = make(gap=-0.01)
    assert run_until_decided(claim, store) is None
    judged = judge_claim(claim, store)
    assert judged.complete
    assert judged.word == "open"
    assert judged.decided is None
    with at_a_look(0.99):  # judged by 95 % all the same, which this is not
        wide = paired([1.0, 2.0, 4.0], [0.0, 0.0, 0.0]).interval
    assert np.ptp(wide) > np.ptp(paired([1.0, 2.0, 4.0], [0.0, 0.0, 0.0]).interval)


def test_a_finished_run_replaces_the_look(store):
    from counterpoint.claims import run_experiment

    claim = make(gap=-0.5)
    run_until_decided(claim, store)
    run_experiment(claim.experiment("full"), store)
    judged = judge_claim(claim, store)
    assert (judged.word, judged.caution) == ("differs", "")
    assert len(judged.frame) == 120


def test_cells_beyond_the_look_are_not_judged_by_it(store):
    claim = make(gap=-0.5)
    full = claim.experiment("full")
    for cell in full.cells()[:20]:
        store.put(full, cell, full.evaluate(cell), 1.0)
    judged = judge_claim(claim, store)
    assert judged.decided.n_cells == len(judged.frame) == 12
    assert judged.n_done == 20
    assert "12 of 120 cells" in judged.word


def test_a_look_without_all_its_cells_does_not_count(store):
    claim = make(gap=-0.5)
    full = claim.experiment("full")
    for cell in full.cells()[1:20]:
        store.put(full, cell, full.evaluate(cell), 1.0)
    assert decision(claim, store) is None
    assert judge_claim(claim, store).word == "differs (19 of 120 cells)"


def test_time_may_be_up_before(store):
    assert run_until_decided(make(gap=-0.5), store, time_limit=0) is None
    assert store.done(make(gap=-0.5).experiment("full")) == set()


def test_what_rests_on_no_interval_does_not_stop_a_run(store):
    claim = fake_claims.make("plain", n=5)
    assert run_until_decided(claim, store) is None
    assert judge_claim(claim, store).complete


def test_plain_numbers_wait_for_the_end():
    with at_a_look(0.99):
        assert within(1.0, high=2.0) is near(1.0, 1.0, by=0.1) is lower(1.0, 2.0) is None
        assert math.isnan(paired([1.0, 1.0], [0.0, 0.0]).interval[0])
        assert math.isnan(unpaired([1.0, 1.0], [0.0, 0.0]).interval[0])
    assert within(1.0, high=2.0) is True
    assert paired([1.0, 1.0], [0.0, 0.0]).interval == (1.0, 1.0)


def test_intervals_of_all_kinds_are_wider_at_a_look():
    assert in_share([True] * 12, 0.75) is True
    with at_a_look(0.99):
        assert in_share([True] * 12, 0.75) is None
        wide = unpaired([1.0, 2.0], [3.0, 5.0]).interval
    low, high = unpaired([1.0, 2.0], [3.0, 5.0]).interval
    assert wide[0] < low < high < wide[1]
    with at_a_look(1.0):
        assert unpaired([1.0, 2.0], [3.0, 5.0]).interval == (-math.inf, math.inf)
        assert in_share([True] * 50, 0.75) is None
    assert confidence() == 0.95


def test_a_rule_that_fails_decides_nothing(store):
    claim = make(gap=-0.5)
    broken = fake_claims.make("broken", judge=fake_claims.judge_badly)
    look = looks(claim.experiment("full"))[0]
    assert verdict_at(broken, look, pd.DataFrame({"error": [1.0]})) is None
    assert verdict_at(claim, look, pd.DataFrame()) is None


def test_the_words_are_the_same_everywhere(store, tmp_path):
    claim = make(gap=-0.5)
    run_until_decided(claim, store)
    judged = judge_claim(claim, store)
    when = "decided after 1 of 10 repeats, at looks corrected for looking often"
    word = f"differs ({when}; 12 of 120 cells)"
    assert judged.word == word
    assert judged.caution == (
        f"{when.capitalize()}: by intervals of 98.75 %, judged on 12 of 120 cells."
    )
    assert summarise_claim(judged)["word"] == word
    counts = summarise_reproductions([judged])["counts"]
    assert (counts["decided early"], counts["partly run"]) == (1, 0)
    assert write_reproductions([judged], tmp_path) == []
    assert pd.read_csv(tmp_path / "summary.csv")["word"].tolist() == [word]
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    text = " ".join(re.sub(r"<[^>]+>", " ", page.split("</style>")[-1]).split())
    assert text.count(word) == 1  # at the claim; in the list in short, with what that means
    assert "differs (early)" in text
    assert f"Early: {MARKS['early']}." in text
    assert judged.caution in text
    assert "Decided before all repeats were run, at looks corrected for looking often: 1." in text
    assert "Resting on a part" not in text
