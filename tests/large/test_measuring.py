import numpy as np
import pandas as pd
import pytest

from counterpoint import MemberOutputs, OutputCounts
from counterpoint.diversity import MEASURES, Measure, matrix, profile, worth
from counterpoint.large import count_outputs, measure, sample_outputs, write_outputs
from counterpoint.trees import HistTreeClassifier

LABELS = {
    "two numbers": [0, 1],
    "far apart": [3, 200],
    "large": [-5, 1000, 7],
    "three words": ["a", "b", "c"],
    "two words": ["no", "yes"],
}


def make(labels, n=900, n_members=6, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(len(labels), size=n)
    others = rng.integers(len(labels), size=(n_members, n))
    votes = np.where(rng.uniform(size=(n_members, n)) < 0.6, y, others)
    table = np.array(labels)
    frame = pd.DataFrame(table[votes].T, columns=[f"m{k}" for k in range(n_members)])
    return frame.assign(truth=table[y]), table[votes], table[y]


def write_parts(frame, folder, ending="parquet"):
    for k, start in enumerate(range(0, len(frame), 400)):
        part = frame[start : start + 400]
        if ending == "csv":
            part.to_csv(folder / f"part-{k}.csv", index=False)
        else:
            part.to_parquet(folder / f"part-{k}.parquet", index=False)
    return folder / f"part-*.{ending}"


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_files_have_the_measures_of_all_rows_at_once(labels, ending, tmp_path):
    frame, votes, y = make(labels)
    found = measure(write_parts(frame, tmp_path, ending), truth="truth")
    expected = profile(MemberOutputs(votes, y))
    pd.testing.assert_frame_equal(found[expected.columns], expected, rtol=1e-12)
    assert (found["how"] == "exact").all()


def test_counts_have_matrices_and_a_verdict(tmp_path):
    frame, votes, y = make(["a", "b", "c"], n_members=5)
    counts = count_outputs(write_parts(frame, tmp_path), truth="truth")
    outputs = MemberOutputs(votes, y)
    for name in ("q", "label_kappa", "label_disagreement", "kappa_error"):
        np.testing.assert_allclose(matrix(counts, name), matrix(outputs, name), rtol=1e-12)
    one, other = worth(counts).table(), worth(outputs).table()
    assert one.pop("verdict") == other.pop("verdict")
    assert one == pytest.approx(other)
    np.testing.assert_allclose(counts.errors, outputs.errors)
    assert counts.classes == ["a", "b", "c"]


def test_weights_and_flags(tmp_path):
    frame, votes, y = make(["a", "b", "c"])
    weight = np.arange(len(y)) % 4
    found = measure(frame.assign(weight=weight), truth="truth", weights="weight")
    expected = profile(MemberOutputs(votes, y, sample_weight=weight))
    pd.testing.assert_frame_equal(found[expected.columns], expected, rtol=1e-9)
    flags = pd.DataFrame((votes == y).T.astype(int), columns=list("uvwxyz"))
    found = measure(write_parts(flags, tmp_path), correct=True)
    expected = profile(votes == y)
    pd.testing.assert_frame_equal(found[expected.columns], expected, rtol=1e-12)


def test_a_class_unseen_in_the_first_files_is_a_class(tmp_path):
    frame, votes, y = make([1, 2])
    more, more_votes, more_y = make([0, 2], seed=1)
    both = pd.concat([frame, more])
    found = measure(write_parts(both, tmp_path), truth="truth")
    expected = profile(MemberOutputs(np.hstack([votes, more_votes]), np.append(y, more_y)))
    pd.testing.assert_frame_equal(found[expected.columns], expected, rtol=1e-12)


def test_members_answers_are_written_once_and_measured(rows, tmp_path):
    few = rows[:3000]
    trees = [HistTreeClassifier(max_depth=d).fit(few[list("abcde")], few["three"]) for d in (1, 3)]
    columns = list("abcde")
    n = write_outputs(trees, few, tmp_path / "said.parquet", truth="three", columns=columns)
    assert n == 3000
    found = measure(tmp_path / "said.parquet", truth="three")
    expected = profile(MemberOutputs.from_estimator(trees, few[columns], few["three"]))
    pd.testing.assert_frame_equal(found[expected.columns], expected, rtol=1e-12)


def test_what_cannot_be_added_up_comes_from_a_sample_with_an_interval(monkeypatch):
    frame, votes, y = make(["a", "b", "c"], n=5000)

    def streak(outputs):
        from counterpoint.diversity.inputs import as_outputs

        return float(as_outputs(outputs).correct[:3].all(axis=0).mean())

    own = Measure("streak", streak, "First three right", (0, 1), "", "vote", "here")
    with monkeypatch.context() as patch:
        patch.setitem(MEASURES, "streak", own)
        found = measure(frame, truth="truth", max_samples=1000).loc["streak"]
    true = streak(MemberOutputs(votes, y))
    assert found["how"] == "sample of 1000 rows"
    assert found["interval_low"] < true < found["interval_high"]
    assert found["interval_high"] - found["interval_low"] < 0.15
    assert "streak" not in MEASURES


def test_samples_are_rows_at_a_fixed_pace():
    frame, votes, y = make([0, 1], n=1000)
    outputs = sample_outputs(frame, truth="truth", max_samples=100)
    np.testing.assert_array_equal(outputs.votes, votes[:, ::10])
    np.testing.assert_array_equal(outputs.y, y[::10])


def test_counts_add_up_in_any_order():
    _, votes, y = make(["a", "b", "c"])
    parts = [MemberOutputs(votes[:, k::3], y[k::3], classes=list("abc")) for k in range(3)]
    parts = [OutputCounts.from_outputs(part) for part in parts]
    one, other = sum(parts), sum(parts[::-1])
    assert one.cells == other.cells
    assert one.counts == other.counts
    with pytest.raises(ValueError, match="every part must have the same"):
        one + OutputCounts.from_outputs(MemberOutputs(votes[:2], y))


@pytest.mark.parametrize(
    ("which", "words"),
    [
        (0, r"part-0\.csv has no column 'm1', and .*part-1\.csv has: .* members="),
        (1, r"part-1\.csv has no column 'm1'"),
    ],
)
def test_a_member_missing_in_one_file_is_named(which, words, tmp_path):
    frame, _, _ = make(["a", "b", "c"])
    for k in range(3):
        part = frame.drop(columns="m1") if k == which else frame
        part.to_csv(tmp_path / f"part-{k}.csv", index=False)
    with pytest.raises(ValueError, match=words):
        measure(tmp_path / "part-*.csv", truth="truth")
    table = measure(tmp_path / "part-*.csv", truth="truth", members=["m0", "m2"])
    assert table["value"].notna().any()


@pytest.mark.parametrize(
    ("spoil", "options", "words"),
    [
        (
            lambda f: f.assign(m2=f["m2"].where(f.index != 0)),
            {},
            r"column 'm2' has no label in data row 1",
        ),
        (lambda f: f.assign(m1="z"), {}, r"'m1' says 'z', which the truth column 'truth' never"),
        (lambda f: f.assign(truth="a"), {}, "one class only"),
        (lambda f: f, {"truth": "y"}, r"has no column 'y'"),
        (lambda f: f, {"members": ["truth"]}, "cannot be a member"),
        (lambda f: f, {"members": []}, "no column for a member"),
        (lambda f: f.assign(id=range(len(f))), {}, r"'id' of .* holds number and the truth"),
        (lambda f: f[:0], {}, "hold no rows"),
        (lambda f: f, {"weights": "m0"}, "cannot be|weight|parse|Failed"),
        (lambda f: f, {"correct": True}, "every cell is 1 or 0"),
    ],
)
def test_wrong_tables_are_said(spoil, options, words):
    frame, _, _ = make(["a", "b", "c"])
    with pytest.raises(ValueError, match=words):
        measure(spoil(frame), **{"truth": "truth", **options})
