"""Which code made a row."""

import pytest

from counterpoint.claims import TOPICS, claim, code


def test_all_claims_were_traced():
    assert set(code.traced_files()) == set(TOPICS)
    for topic, files in code.traced_files().items():
        assert f"claims/{topic.replace('-', '_')}.py" in files
        assert all((code.PACKAGE / name).exists() for name in files), topic


@pytest.mark.parametrize("topic", ["independent-vote", "subset-kernels"])
def test_the_table_is_what_runs(topic):
    experiment = claim(topic).experiment("smoke")
    cells = experiment.cells()
    experiment.evaluate(cells[0])
    ran = code.trace_files(lambda: [experiment.evaluate(cell) for cell in cells])
    assert ran == sorted(code.traced_files()[topic])


def test_kernels_count_with_what_imports_them():
    ran = code.trace_files(lambda: _boost())
    assert "boosting/loop.py" in ran
    assert any(name.startswith("_kernels/") for name in ran)


def _boost():
    from sklearn.datasets import load_iris

    from counterpoint.boosting import AdaBoostNCClassifier

    AdaBoostNCClassifier(n_estimators=2, lam=1.0).fit(*load_iris(return_X_y=True))


def test_words_do_not_count_and_code_does(tmp_path):
    def fingerprint(text):
        path = tmp_path / f"{abs(hash(text))}.py"
        path.write_text(text)
        return code._fingerprint(path)

    plain = fingerprint("def f(x):\n    return x + 1\n")
    told = fingerprint('"""Words."""\n\ndef f(x):\n    """More."""\n    return x + 1  # why\n')
    assert plain == told != fingerprint("def f(x):\n    return x + 2\n")
    assert code._fingerprint(tmp_path / "gone.py") == ""
