"""Which code made a row."""

import ast

import pytest

from counterpoint.claims import TOPICS, claim, code
from counterpoint.claims.definitions import Package, Place

BEFORE = '''
"""Words."""

from small.kernels import add

LIMIT = 3


class Model:
    """A model."""

    rate: float = 0.5

    def fit(self, x: int) -> "Model":
        """Fit."""
        if x < 0:
            raise ValueError(f"x={x}: give a whole number from 0.")
        self.x = add(x, LIMIT)
        return self

    def show(self):
        return self.x


def run(x):
    return Model().fit(x).x  # the answer


def other(x):
    return x
'''
KERNELS = "def add(a, b):\n    return a + b\n\n\ndef take(a, b):\n    return a - b\n"
RAN = [Place("small.rooms", "run"), Place("small.rooms", "Model.fit")]


def hashed(tmp_path, *changes, file="rooms.py", kernels=KERNELS):
    text = BEFORE
    for old, new in changes:
        if old in kernels and old not in text:
            kernels = kernels.replace(old, new)
        else:
            assert old in text
            text = text.replace(old, new)
    folder = tmp_path / f"v{len(list(tmp_path.iterdir()))}" / "small"
    folder.mkdir(parents=True)
    for name, content in (("__init__.py", ""), (file, text), ("kernels.py", kernels)):
        (folder / name).write_text(content)
    return code.hash_of(Package(folder, "small"), RAN)


@pytest.fixture(autouse=True)
def kernels_of_small(monkeypatch):
    def counts(place, nodes):
        runs = any(isinstance(node, ast.FunctionDef) for node in nodes)
        return place.module == "small.kernels" or not runs

    monkeypatch.setattr(code, "_counts", counts)


@pytest.mark.parametrize(
    "change",
    [
        ('"""Words."""', '"""Other words."""\nimport os'),
        ('"""A model."""', ""),
        ('        """Fit."""\n', ""),
        ("  # the answer", "  # it"),
        ("x: int", "x: float"),
        (' -> "Model"', ""),
        ("rate: float = 0.5", "rate = 0.5"),
        ("x={x}: give a whole number from 0.", "x={x} is below 0."),
        ("return self.x\n", "return self.x + 1\n"),  # show() does not run
        ("def other(x):\n    return x", "def other(x):\n    return 2 * x"),
        ("return a - b", "return b - a"),  # a kernel that is not used
    ],
)
def test_what_makes_no_numbers_does_not_count(tmp_path, change):
    assert hashed(tmp_path, change) == hashed(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("rate: float = 0.5", "rate: float = 0.6"),
        ("add(x, LIMIT)", "add(LIMIT, x)"),
        ("x < 0", "x < 1"),
        ("Model().fit(x).x", "Model().fit(x).x + 1"),
        ("return a + b", "return b + a"),
        ("    def show", "    def run(self):\n        return 1\n\n    def show"),
        ("class Model:", "class Model(dict):"),
    ],
)
def test_what_may_change_numbers_counts(tmp_path, change):
    if change[1].startswith("    def run"):
        # Named as a method that runs: it may be called in place of that one.
        change = (change[0], change[1].replace("run", "fit"))
    assert hashed(tmp_path, change) != hashed(tmp_path)


def test_all_claims_were_watched():
    table = code.functions_that_ran()
    assert set(table) == set(TOPICS)
    for topic, places in table.items():
        assert Place(f"counterpoint.claims.{topic.replace('-', '_')}", "run") in places
        gone = [place for place in places if not code._here().nodes(place)]
        assert gone == [], topic
    assert len({code.code_version(topic) for topic in TOPICS}) == len(TOPICS)


@pytest.mark.parametrize("topic", ["independent-vote", "subset-kernels"])
def test_the_table_has_all_that_runs(topic):
    experiment = claim(topic).experiment("smoke")
    cells = experiment.cells()
    experiment.evaluate(cells[0])
    ran = code.watch(lambda: [experiment.evaluate(cell) for cell in cells])
    assert set(ran) <= set(code.functions_that_ran()[topic])
    assert len(ran) > 2


def test_methods_are_seen_and_what_is_defined_within_counts_with_them():
    from sklearn.datasets import load_iris

    from counterpoint.boosting import AdaBoostNCClassifier

    model = AdaBoostNCClassifier(n_estimators=2, lam=1.0)
    ran = code.watch(lambda: model.fit(*load_iris(return_X_y=True)))
    assert any(place.name == "BaseBoosting.fit" for place in ran)
    assert not any("<" in place.name or "_validation" in place.module for place in ran)


def test_a_topic_that_was_never_watched():
    assert code.code_version("no-such-topic") == ""
