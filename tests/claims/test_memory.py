import numpy as np
import pytest

from counterpoint.claims.code import watch
from counterpoint.claims.memory import forget, remembered
from counterpoint.claims.svm_boosting import run, split

made = []


@remembered
def numbers(n, start=0):
    made.append(n)
    return np.arange(start, n), np.arange(n)


def test_the_last_is_kept_and_nobody_may_write_to_it():
    made.clear()
    first = numbers(3)
    assert numbers(3) is first
    assert numbers(3, start=1) is not first
    assert numbers(3) is not first
    with pytest.raises(ValueError, match="read-only"):
        first[0][0] = 1
    again = numbers(3)
    forget()
    assert numbers(3) is not again
    assert made == [3, 3, 3, 3]


def test_methods_of_a_fold_share_its_rows_and_are_the_same_as_alone():
    def rows(*methods):
        given = {"seed": 3, "repeat": 0, "fold": 1, "data": "sonar", "n_members": 3}
        return [run(method=method, **given) for method in methods]

    methods = ["SVM", "AdaBoost-SVM", "Bagging", "NCCD", "NCAB-SVM, narrowing always"]
    forget()
    together = rows(*methods)
    shared = split("sonar", 1, 3)
    assert split("sonar", 1, 3) is shared
    for method, row in zip(methods, together, strict=True):
        forget()
        assert rows(method) == [row]


def test_what_is_remembered_is_made_again_when_a_run_is_watched():
    split("sonar", 0, 3)
    for _ in range(2):
        seen = {place.name for place in watch(lambda: split("sonar", 0, 3))}
        assert {"split", "encode_rows", "load"} <= seen
