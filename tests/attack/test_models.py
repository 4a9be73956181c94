"""A few changed model files in every run of the tests; ``make attack`` tries many."""

from attack import models


def test_changed_files_are_refused_or_answer():
    names = ("random-forest", "pruned-tree", "neighbours")
    counts, defects = models.attack(600, names=names, n_workers=1, most=30)
    assert not defects
    assert counts["files"] >= 30
    assert counts["error"] > 5
    assert counts["answer"] > 2


def test_a_strange_error_is_a_defect(tmp_path, monkeypatch):
    whole = models.write_models(tmp_path, ["majority"])["majority"]

    def trip(path):
        return path.nothing

    monkeypatch.setattr(models.tabular, "load", trip)
    assert models.run_case(whole, 0, tmp_path)[1] == "AttributeError of load"
