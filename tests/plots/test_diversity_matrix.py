import matplotlib.pyplot as plt
import numpy as np
import pytest

from counterpoint import MemberOutputs, diversity
from counterpoint.plots import DiversityMatrixDisplay

PAIRWISE = [m.name for m in diversity.MEASURES.values() if m.pairwise]


@pytest.mark.parametrize("measure", PAIRWISE)
def test_image_is_the_table_is_the_matrix(outputs, measure):
    display = DiversityMatrixDisplay.from_outputs(outputs["bagging"], measure=measure)
    expected = diversity.matrix(outputs["bagging"], measure)
    np.testing.assert_array_equal(display.table(), expected)
    np.testing.assert_array_equal(display.im_.get_array().filled(np.nan), expected)
    assert list(display.table().index) == outputs["bagging"].names
    title = diversity.MEASURES[measure].title
    assert title in display.ax_.get_title()
    assert title in display.colorbar_.ax.get_ylabel()


def test_signed_measures_are_centred_on_zero_and_others_start_there(outputs):
    signed = DiversityMatrixDisplay.from_outputs(outputs["bagging"], measure="correlation")
    low, high = signed.im_.get_clim()
    assert low == -high
    assert signed.im_.get_cmap().name == "RdBu_r"
    shares = DiversityMatrixDisplay.from_outputs(outputs["bagging"], measure="disagreement")
    assert shares.im_.get_clim()[0] == 0
    assert shares.im_.get_cmap().name == "Blues"
    faults = DiversityMatrixDisplay.from_outputs(outputs["bagging"], measure="double_fault")
    assert faults.im_.get_cmap().name == "Reds"


def test_scale_reaches_as_far_as_the_pairs_not_the_diagonal(outputs):
    display = DiversityMatrixDisplay.from_outputs(outputs["forest"], measure="correlation")
    pairs = display.matrix[~np.eye(12, dtype=bool)]
    assert display.im_.get_clim()[1] == np.abs(pairs).max() < 1
    assert display.colorbar_.extend == "max"


@pytest.mark.parametrize("order", ["given", "error", "cluster"])
def test_order_only_moves_members(outputs, order):
    forest = outputs["forest"]
    display = DiversityMatrixDisplay.from_outputs(forest, measure="kappa", order=order)
    at = [forest.names.index(name) for name in display.names]
    assert sorted(at) == list(range(12))
    expected = diversity.matrix(forest, "kappa")[np.ix_(at, at)]
    np.testing.assert_array_equal(display.matrix, expected)
    if order == "error":
        assert np.all(np.diff(forest.errors[at]) >= 0)


@pytest.mark.parametrize("measure", ["q", "disagreement"])
def test_clustering_puts_those_alike_side_by_side(measure):
    rng = np.random.default_rng(0)
    camps = rng.random((2, 200)) < 0.6
    flips = rng.random((8, 200)) < 0.05
    correct = camps[[0, 1, 0, 1, 1, 0, 1, 0]] ^ flips
    names = ["a", "b", "a", "b", "b", "a", "b", "a"]
    outputs = MemberOutputs.from_correct(correct, names=names)
    display = DiversityMatrixDisplay.from_outputs(outputs, measure=measure, order="cluster")
    assert "".join(display.names) in ("aaaabbbb", "bbbbaaaa")


@pytest.mark.parametrize("order", ["given", "cluster"])
def test_undefined_cells_are_not_painted_and_told(order, assert_readable):
    correct = [[1, 1, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0]]  # the first never varies
    outputs = MemberOutputs.from_correct(correct, names=["sure", "b", "c"])
    display = DiversityMatrixDisplay.from_outputs(outputs, measure="correlation", order=order)
    at = display.names.index("sure")
    assert np.isnan(display.matrix[at]).all()
    mask = display.im_.get_array().mask
    assert mask[at].all()
    assert mask.sum() == 5
    assert display.im_.cmap(np.ma.masked)[-1] == 0  # see-through, onto the hatching
    assert display.ax_.patch.get_hatch()
    assert "hatched: undefined" in display.ax_.get_title()
    assert len(display.ax_.texts) == 4
    assert_readable(display.figure_)


def test_all_undefined_still_draws():
    display = DiversityMatrixDisplay.from_outputs(
        MemberOutputs.from_correct([[1, 1], [1, 1]]), measure="correlation"
    )
    assert np.isnan(display.matrix).all()
    display.figure_.canvas.draw()


@pytest.mark.parametrize(("n", "written"), [(12, True), (13, False)])
def test_values_are_written_for_few(n, written, assert_readable):
    correct = np.random.default_rng(0).random((n, 60)) < 0.7
    outputs = MemberOutputs.from_correct(correct)
    display = DiversityMatrixDisplay.from_outputs(outputs, measure="covariance")
    assert len(display.ax_.texts) == (n * n if written else 0)
    assert_readable(display.figure_)
    always = DiversityMatrixDisplay.from_outputs(outputs, show_values=True)
    assert len(always.ax_.texts) == n * n
    never = DiversityMatrixDisplay.from_outputs(outputs, show_values=False)
    assert not never.ax_.texts


def test_values_that_do_not_fit_are_left_out():
    correct = np.random.default_rng(0).random((12, 60)) < 0.7
    _, axes = plt.subplots(4, 4)
    display = DiversityMatrixDisplay.from_outputs(
        MemberOutputs.from_correct(correct), ax=axes[0, 0]
    )
    assert not display.ax_.texts


def test_values_say_what_the_cells_hold():
    display = DiversityMatrixDisplay.from_predictions([0, 1, 1, 0], [[0, 1, 0, 0], [1, 0, 0, 0]])
    told = [text.get_text().replace("\N{MINUS SIGN}", "-") for text in display.ax_.texts]
    assert told == [f"{value:.2f}" for value in display.matrix.ravel()]


def test_numbered_members_show_their_numbers_and_named_ones_their_names(outputs, assert_readable):
    numbered = DiversityMatrixDisplay.from_outputs(outputs["bagging"])
    labels = [label.get_text() for label in numbered.ax_.get_xticklabels()]
    assert labels == list("01234567")
    assert "DecisionTreeClassifier" in numbered.ax_.get_xlabel()
    names = ["nearest neighbours", "naive Bayes", "a tree of some depth"]
    named = DiversityMatrixDisplay.from_outputs(
        MemberOutputs.from_correct([[1, 0, 1], [1, 1, 0], [0, 1, 1]], names=names)
    )
    assert [label.get_text() for label in named.ax_.get_yticklabels()] == names
    assert_readable(named.figure_)


@pytest.mark.parametrize(("order", "ticks"), [("given", True), ("cluster", False)])
def test_many_members_are_not_named(order, ticks, assert_readable):
    correct = np.random.default_rng(0).random((40, 60)) < 0.7
    display = DiversityMatrixDisplay.from_outputs(MemberOutputs.from_correct(correct), order=order)
    assert (len(display.ax_.get_xticks()) > 0) == ticks
    assert len(display.ax_.get_xticks()) < 20
    assert_readable(display.figure_)


def test_counts_will_do(outputs):
    bagging = outputs["bagging"]
    for order in ("given", "error", "cluster"):
        counted = DiversityMatrixDisplay.from_outputs(bagging.counts, order=order)
        whole = DiversityMatrixDisplay.from_outputs(bagging, order=order)
        np.testing.assert_array_equal(counted.matrix, whole.matrix)


def test_a_dict_of_models_is_one_ensemble(ensembles, outputs, data):
    _, _, X, y = data
    members = dict(zip("abcdefgh", ensembles["bagging"].estimators_, strict=True))
    display = DiversityMatrixDisplay.from_estimator(members, X, y)
    assert display.names == list("abcdefgh")
    given = DiversityMatrixDisplay.from_predictions(y, outputs["bagging"].votes)
    np.testing.assert_array_equal(display.matrix, given.matrix)


def test_given_axes_and_im_kwargs(outputs):
    figure, ax = plt.subplots()
    display = DiversityMatrixDisplay.from_outputs(
        outputs["bagging"], ax=ax, im_kwargs={"vmin": 0.0, "vmax": 1.0, "cmap": "viridis"}
    )
    assert (display.ax_, display.figure_) == (ax, figure)
    assert display.im_.get_clim() == (0.0, 1.0)
    assert display.im_.get_cmap().name == "viridis"
    again = display.plot(im_kwargs={"norm": plt.Normalize(-2, 2)})
    assert again.im_.get_clim() == (-2, 2)


def test_wrong_input(outputs):
    with pytest.raises(ValueError, match="heat map of pairs needs at least 2 members"):
        DiversityMatrixDisplay.from_predictions([0, 1], [[0, 1]])
    with pytest.raises(ValueError, match="measure='entropy': choose 'q', "):
        DiversityMatrixDisplay.from_outputs(outputs["bagging"], measure="entropy")
    with pytest.raises(ValueError, match="order='best': choose 'given', 'cluster'"):
        DiversityMatrixDisplay.from_outputs(outputs["bagging"], order="best")
    with pytest.raises(
        TypeError, match="from_outputs takes MemberOutputs or OutputCounts, got dict"
    ):
        DiversityMatrixDisplay.from_outputs(outputs)
    with pytest.raises(ValueError, match=r"shape \(2, 2\) and there are 3 names"):
        DiversityMatrixDisplay(matrix=np.eye(2), names=list("abc"), measure="q").plot()
