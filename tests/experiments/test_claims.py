"""Every claim is whole: words, a rule, two sizes of grid."""

import inspect
import pickle

import pytest

from counterpoint.experiments.claims import CLAIM_IDS, claim

# A smoke run is part of the tests: seconds, not minutes.
MOST_SMOKE_CELLS = 120


def test_all_of_the_list_are_there():
    assert list(CLAIM_IDS) == [f"R{k}" for k in range(1, 18)]


@pytest.mark.parametrize("id_", CLAIM_IDS)
def test_it_says_what_it_is(id_):
    found = claim(id_)
    assert found.id == id_
    for name in ("title", "sentence", "source", "rule", "setup"):
        words = getattr(found, name)
        assert words.strip() == words != "", name
        assert "  " not in words, name
    assert len(found.title) <= 80
    assert "reproduced" in found.rule.lower()  # it says when it counts as such


@pytest.mark.parametrize("id_", CLAIM_IDS)
def test_its_grids(id_):
    smoke, full = (claim(id_).experiment(size) for size in ("smoke", "full"))
    assert smoke.name == f"{id_}-smoke"
    assert full.name == id_
    assert 0 < len(smoke.cells()) <= MOST_SMOKE_CELLS  # cells() finds doubles
    assert len(full.cells()) >= len(smoke.cells())
    for experiment in (smoke, full):
        assert experiment.version >= 1
        assert set(experiment.unseeded) <= set().union(*experiment.values)


@pytest.mark.parametrize("id_", CLAIM_IDS)
def test_it_can_be_sent_to_workers(id_):
    for size in ("smoke", "full"):
        experiment = claim(id_).experiment(size)
        assert pickle.loads(pickle.dumps(experiment.run))
        inspect.signature(experiment.run).bind(seed=0, **experiment.cells()[0].values)


@pytest.mark.parametrize("typed", ["r1", " R1 "])
def test_ids_are_taken_as_people_type_them(typed):
    assert claim(typed).id == "R1"


def test_unknown_id():
    with pytest.raises(ValueError, match=r"no claim 'R71': they are R1 to R17\. Did you mean R7"):
        claim("R71")
    with pytest.raises(ValueError, match=r"no claim 'x': they are R1 to R17\.$"):
        claim("x")
