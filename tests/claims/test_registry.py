"""Every claim is whole: words, a rule, two sizes of grid; and its stored rows are still its own."""

import inspect
import pickle
from pathlib import Path

import pandas as pd
import pytest

from counterpoint import claims
from counterpoint.claims import TOPICS, Store, claim
from counterpoint.claims.checking import check_cells
from counterpoint.claims.kept import take_kept

# A smoke run is part of the tests: seconds, not minutes.
MOST_SMOKE_CELLS = 120
STORED = Path(__file__).parents[2] / "reproductions"
# Cells of the full size that take a moment.
CHEAP = {
    "independent-vote": {"n_members": 10, "member_error": 0.2},
    "australian-credit": {"repeat": 3, "method": "CART"},
    "merged-trees": {"repeat": 0, "fold_": 1, "data": "synthetic", "method": "single, errb"},
    "svm-boosting": {"repeat": 0, "fold": 0, "data": "sonar", "method": "SVM"},
    "subset-kernels": {"repeat": 2, "kind": "cones, degree 2"},
}


def test_a_claim_is_a_file_and_a_line():
    folder = Path(claims.__file__).parent
    files = {path.stem for path in folder.glob("*.py") if "CLAIM = Claim(" in path.read_text()}
    assert files == {topic.replace("-", "_") for topic in TOPICS}
    assert len(TOPICS) == len(set(TOPICS)) == len({claim(topic).stream for topic in TOPICS})


@pytest.mark.parametrize("topic", TOPICS)
def test_it_says_what_it_is(topic):
    made = claim(topic)
    assert made.topic == topic
    for name in ("title", "sentence", "source", "rule", "setup"):
        words = getattr(made, name)
        assert words.strip() == words != "", name
        assert "  " not in words, name
    assert len(made.title) <= 80
    assert made.rule_version >= 1
    assert (made.rule_version > 1) == bool(made.rule_changes)  # a changed rule says why


@pytest.mark.parametrize("topic", TOPICS)
def test_its_grids(topic):
    smoke, full = (claim(topic).experiment(size) for size in ("smoke", "full"))
    assert smoke.name == f"{topic}-smoke"
    assert full.name == topic
    assert 0 < len(smoke.cells()) <= MOST_SMOKE_CELLS  # cells() finds doubles
    assert len(full.cells()) >= len(smoke.cells())
    for experiment in (smoke, full):
        assert experiment.version >= 1
        assert set(experiment.unseeded) <= set().union(*experiment.values)


@pytest.mark.parametrize("topic", TOPICS)
def test_it_can_be_sent_to_workers(topic):
    for size in ("smoke", "full"):
        experiment = claim(topic).experiment(size)
        assert pickle.loads(pickle.dumps(experiment.run))
        inspect.signature(experiment.run).bind(seed=0, **experiment.cells()[0].values)


@pytest.mark.parametrize("topic", CHEAP)
def test_a_cell_gives_its_stored_rows(topic, tmp_path):
    experiment = claim(topic).experiment("full")
    cell = next(c for c in experiment.cells() if CHEAP[topic].items() <= c.values.items())
    with Store(tmp_path / "cells.sqlite") as store:
        assert take_kept([claim(topic)], store, STORED) > 0
        (found,) = check_cells(claim(topic), store, [cell]).to_dict("records")
    assert found["same"], found["why"]


@pytest.mark.parametrize("topic", TOPICS)
def test_stored_rows_are_cells_of_the_grid(topic):
    path = STORED / "cells" / f"{topic}.parquet"
    if not path.exists():
        pytest.skip("no cell of it has been run")
    cells = {(cell.key, cell.seed) for cell in claim(topic).experiment("full").cells()}
    stored = pd.read_parquet(path)
    assert set(zip(stored["key"], stored["seed"], strict=True)) <= cells


@pytest.mark.parametrize("typed", ["merged-trees", " Merged Trees ", "merged_trees"])
def test_topics_are_taken_as_people_type_them(typed):
    assert claim(typed).topic == "merged-trees"


def test_unknown_topic():
    with pytest.raises(ValueError, match=r"no claim 'merged-tree': .* Did you mean 'merged-trees'"):
        claim("merged-tree")
    with pytest.raises(ValueError, match=r"no claim 'x': `counterpoint reproduce` lists them\.$"):
        claim("x")
