"""Words that may be the same: found, told of columns and of the target, and nothing else."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.tabular import fit, look_at
from counterpoint.tabular.variants import tell_variants, variants

N = 120


def table():
    rng = np.random.default_rng(0)
    town = rng.choice(["Centro", "centro", "Vila", "vila ", "Jardim"], N)
    return pd.DataFrame(
        {
            "town": town,
            "told": rng.choice(["yes", "Yes", "NO", "no"], N),
            "grade": rng.choice(["C", "C+", "C-"], N),
            "size": rng.normal(size=N),
            "gone": rng.choice(["Gone", "gone", "here"], N),
        }
    )  # fmt: skip


def test_columns_and_the_target_are_told_of():
    for notes in (look_at(table(), "gone").notes, fit(table(), "gone", "naive-bayes").notes):
        found = [note for note in notes if "differ in how they are spelt" in note]
        assert [note.split(":")[0] for note in found] == ["column 'gone'", "column 'town'"]
        assert "'Gone' and 'gone'" in found[0]
        assert "and 1 more such groups" in found[1]


def test_numbers_as_a_target_are_no_words():
    notes = look_at(table().drop(columns="town"), "size").notes
    assert [note for note in notes if "spelt" in note] == [
        "column 'gone': 'Gone' and 'gone' differ in how they are spelt only. They count as "
        "different; if they mean the same, write them alike."
    ]


def test_words_that_differ_are_not_told_of():
    assert tell_variants(["C", "C+", "C-", "c#"], "grade") == ""
    assert variants([".", "..", "..."]) == []


@given(st.lists(st.text("abcÄäé. ", min_size=1), unique=True, max_size=12))
def test_groups_hold_each_word_once_and_do_not_hang_on_the_order(words):
    found = variants(words)
    inside = [word for group in found for word in group]
    assert len(set(inside)) == len(inside)
    assert set(inside) <= set(words)
    assert all(len(group) > 1 for group in found)
    assert variants(words[::-1]) == found
    for word in words:  # a word and itself in capitals are one group, if they are two words
        if word.upper() != word and word.upper().lower() == word.lower():
            assert any(
                {word, word.upper()} <= set(group) for group in variants([word, word.upper()])
            )
