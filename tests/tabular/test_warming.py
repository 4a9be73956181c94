"""What the first use of families compiles, and compiling it ahead."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from counterpoint.tabular import FIRST_USES, warm_up

ROOT = Path(__file__).parents[2]
# What Python calls in the first use of each family, in this order: what those before it have met,
# for the same types, is not listed again. Every name is some tenths of a second of somebody's first
# minute. If a change needs another, add it here and look at `python -m benchmarks.startup`; a
# name twice is compiled for two sets of types.
EXPECTED = {
    "measures": ["pairs.count_columns", "pairs.count_pairs", "pairs.measure_pairs", "pairs.pack"],
    "trees": [
        "binning.cut_points",
        "binning.encode",
        "binning.pack_words",
        "forest.look_up",
        "hist.grow",
        "trees.first_fault",
    ],
    "boosting": [
        "boosting.add_kinds",
        "boosting.count_in",
        "boosting.count_kinds",
        "boosting.sum_kinds",
        "forest.look_up",
        "temperature.tempered",
        "votes.add_votes",
        "votes.votes_of_leaves",
    ],
    "gradient boosting": ["descent.mark_leaves_bins", "forest.add_up"],
    "networks": ["layers.layer", "networks.train"],
    "dynamic": [
        "dynamic.best",
        "dynamic.unbroken",
        "dynamic.weighted_vote",
        "nearest.nearest",
        "walk.lay_out",
        "walk.look_up",
    ],
    "sequences": [
        "sequences.densities",
        "sequences.less_the_most",
        "sequences.moments",
        "sequences.pass_over",
    ],
    "hyperboxes": ["hyperboxes.class_scores", "hyperboxes.grow_online"],
    "subsets": [
        "stochastic.accept",
        "stochastic.add_up",
        "stochastic.boxes_in_bins",
        "stochastic.count",
        "stochastic.hold",
    ],
    "merged tree": [
        "forest.look_up",
        "merging.count_nodes",
        "merging.cut_back",
        "merging.graft",
        "merging.log_volumes",
        "merging.sort_rows",
        "merging.tally",
        "trees.depth",
        "trees.preorder",
        "trees.sum_up",
    ],
}
USED = """
import json, sys, warnings
from attack.kernels import kernels
from counterpoint.tabular import FIRST_USES

warnings.simplefilter("ignore")
before, found = {}, {}
for name in sys.argv[1:]:
    FIRST_USES[name]()
    now = {}
    for kernel, parts in kernels().items():
        wrapped = [part for part in parts if not part.targetoptions.get("no_cpython_wrapper")]
        now[kernel] = sum(len(part.signatures) for part in wrapped)
    found[name] = sorted(k for k in now for _ in range(now[k] - before.get(k, 0)))
    before = now
print(json.dumps(found))
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_first_uses_need_no_more_kernels_than_they_did():
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", USED, *EXPECTED],
        env={**os.environ, "PYTHONPATH": path, "NUMBA_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=600, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout.splitlines()[-1]) == EXPECTED


def test_warm_up_says_what_it_did():
    rows = warm_up(["measures"], progress=False).set_index("family")
    assert list(rows.index) == ["measures"]
    again = warm_up(["measures"], progress=False)
    assert again[["kernels", "functions", "seconds"]].to_numpy().tolist() == [[0, 0, 0]]


def test_a_family_that_is_none_is_told_the_names():
    with pytest.raises(ValueError, match="families='tree': choose 'trees'"):
        warm_up(["tree"])


def test_every_first_use_has_a_name_of_its_own():
    assert len(set(FIRST_USES.values())) == len(FIRST_USES)
