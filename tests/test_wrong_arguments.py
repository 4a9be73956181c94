"""Public functions answer wrong arguments with a sentence that names the argument."""

import datetime
import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from counterpoint import (
    MemberOutputs,
    MemberPredictions,
    base,
    boosting,
    claims,
    combiners,
    datasets,
    decomposition,
    diversity,
    networks,
    plots,
    selection,
    sequences,
    subsets,
    tabular,
    trees,
    trust,
    views,
)

FLAGS = [[1, 0, 1], [0, 1, 1]]
OUTPUTS = MemberOutputs([[0, 1, 1], [1, 1, 0]], [0, 1, 1])
X = [[0.0, 1.0], [2.0, 3.0], [1.0, 0.0]]
SHARES = MemberOutputs(proba=[[[0.4, 0.6]] * 3], y=[0, 1, 1])
PAIR = np.array([1.0, np.nan])
FOREST = RandomForestClassifier(2, random_state=0).fit(X, [0, 1, 1])
TREE = trees.from_sklearn(DecisionTreeClassifier().fit(X, [0, 1, 1]))

NEED_VOTES = [
    combiners.growth,
    combiners.member_contributions,
    selection.bagged_weights,
    selection.order_by_complementarity,
    selection.order_by_kappa,
    selection.pareto_front,
    selection.select_all,
    selection.select_backward,
    selection.select_exhaustive,
    selection.select_floating,
    selection.select_forward,
    selection.select_genetic,
    selection.select_thinning,
    lambda outputs: selection.select_by_order(outputs, [0, 1]),
    combiners.VoteCombiner().combine,
]
NEED_FLAGS = [selection.order_by_error, selection.order_by_margin_distance, diversity.kappa]


@pytest.mark.parametrize("function", NEED_VOTES)
@pytest.mark.parametrize("flags", [FLAGS, np.array(FLAGS)])
def test_what_needs_votes_says_so_of_flags(function, flags):
    with pytest.raises(ValueError, match=r"needs the members' labels, but only right/wrong"):
        function(flags)


@pytest.mark.parametrize("function", NEED_FLAGS)
def test_what_needs_flags_takes_them_as_the_measures_do(function):
    assert np.array_equal(function(FLAGS), function(MemberOutputs.from_correct(FLAGS)))


@pytest.mark.parametrize("function", [*NEED_VOTES, *NEED_FLAGS])
@pytest.mark.parametrize("outputs", [None, 0.5, DecisionTreeClassifier(), len])
def test_what_is_no_outputs_is_told_how_to_make_them(function, outputs):
    with pytest.raises(TypeError, match=r"MemberOutputs\.from_estimator"):
        function(outputs)


@pytest.mark.parametrize("measure", [diversity.kappa, diversity.vote_margins, diversity.profile])
def test_numbers_of_regressors_are_no_votes(measure):
    with pytest.raises(ValueError, match="needs classes, but these are predictions of regressors"):
        measure(MemberPredictions([[1.0, 2.0], [2.0, 1.0]], [1.0, 2.0]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: diversity.variance_factor("a", 3), "correlation='a': give a finite number"),
        (lambda: diversity.variance_factor(0.5, 10**400), "n_members="),
        (lambda: diversity.variance_factor(10**400, 3), "give a finite number"),
        (lambda: diversity.forest_bound(strength=1e308, correlation=0.1), "strength=1e+308: give"),
        (lambda: diversity.forest_bound(strength="a", correlation=0.1), "strength='a': give"),
        (lambda: diversity.trajectory(FLAGS, True), "measure=True: give a list of names"),
        (lambda: diversity.kappa([[1, 0], [1]]), "correct has rows of different lengths"),
        (lambda: diversity.kappa([[None, 1], [0, 1]]), "but holds None, 1, 0"),
        (lambda: combiners.growth(OUTPUTS, True), "combiner=True is no combiner"),
        (lambda: combiners.combiner_of(0.5, X), "0.5 is no model: pass a fitted one"),
        (lambda: combiners.combiner_of(DecisionTreeClassifier), "is no model"),
        (lambda: combiners.fuzzy_lambda("abc"), "densities must be numbers"),
        (lambda: selection.pareto_front(OUTPUTS, 3), "criteria=3: give a list of two"),
        (lambda: selection.pareto_front(OUTPUTS, n_weights=1.5), "n_weights=1.5: give a whole"),
        (lambda: selection.select_genetic(OUTPUTS, mutation="x"), "mutation='x': give a number"),
        (lambda: selection.order_by_margin_distance(OUTPUTS, objective=[]), "objective=[]: give"),
        (lambda: datasets.make_ripley(10, fixed_sizes=[1, 2]), "fixed_sizes=[1, 2]: give True"),
        (lambda: sequences.histories("log", target="a"), "log='log': pass an EventLog"),
        (lambda: sequences.latest_histories(None, target="a"), "log=None: pass an EventLog"),
        (lambda: sequences.make_churn_events("a"), "n_customers='a': give a whole number"),
        (lambda: sequences.make_churn_events(5, mean_events=1e18), "mean_events=1e+18: give"),
        (lambda: sequences.lift_curve([0, 1], [0.1, 0.2], cost="a"), "cost='a': give a number"),
        (lambda: sequences.lift_g([0, 1], [0, 1], pos_label=()), "pos_label=(): give one label"),
        (lambda: sequences.choose_cutoff([0, 1], [0, 1], gain=1e308), "gain=1e+308: give"),
        (lambda: subsets.alignment_weights(0.5, [0, 1]), "kernels=0.5: give a list of kernels"),
        (lambda: subsets.combine_kernels(0.5), "kernels=0.5: give a list of kernels"),
        (lambda: subsets.kernel_alignment(np.eye(2), ["a", None]), "y mixes labels of types"),
        (lambda: subsets.cone_kernel(sparse.eye(3)), "dense data is required"),
        (lambda: networks.register_coupling("a"), "coupling='a': give a subclass of Coupling"),
        (lambda: views.class_correlations(X, None), "y has shape (): expected (n_samples)"),
        (lambda: views.class_correlations(X, [0, 1]), "X has 3 samples, but y has shape (2,)"),
        (lambda: views.class_correlations([[[1]]], [0]), "Found array with dim 3"),
        (lambda: views.class_correlations([[1e200], [1]], [0, 1]), "X has 1e+200 at sample 0"),
        (lambda: views.noise_widths(X, [0, 1]), "X has 3 samples, but y has shape (2,)"),
        (lambda: views.noise_widths(X, [0, 1, 1], [1, -1, 0]), "but is -1 at row 1"),
        (lambda: views.noise_widths(X, [0, 1, 1], [1, 1]), "width has shape (2,), expected (3,)"),
        (lambda: views.design_code(10**18), "give a whole number from 2 to 4096"),
        (lambda: decomposition.bias_variance([0.0], [[1e200]]), "predictions has 1e+200 at trial"),
        (lambda: decomposition.centroid([[1e200]]), "outputs has 1e+200 at member 0"),
        (lambda: plots.plot_decision_boundary(None, X, [0]), "which NoneType is not"),
        (lambda: tabular.describe_columns(None, "y"), "frame=None: pass a pandas DataFrame"),
        (lambda: tabular.predict(None, "x.csv"), "model=None: pass what tabular.fit returns"),
        (lambda: base.draw_seed(None), "rng=None: pass a RandomState"),
        (lambda: base.set_random_states(3, None), "model=3 is no estimator"),
        (lambda: base.need_target(3, [0, 1]), "estimator=3 is no estimator"),
        (lambda: base.read_table(None, X), "estimator=None is no estimator"),
        (lambda: claims.claim(3), "There is no claim 3"),
        (lambda: MemberOutputs([[0, 1]], classes=True), "classes has shape (): expected"),
        (lambda: MemberOutputs([[0, 1]], names=3), "names=3: give a list of names, one per member"),
        (lambda: MemberOutputs([[0, 1]], combiner=[]), "combiner=[] has no combine"),
        (lambda: MemberPredictions("a"), "values must be numbers in one rectangular array"),
        (lambda: MemberPredictions([[1.0]], True), "y has shape (): expected (n_samples)"),
        (lambda: OUTPUTS.take_rows([9]), "take_rows needs positions of samples; got [9]"),
        (lambda: diversity.enrichment([[1, 0]], 3), "y has shape (): expected (n_samples)"),
        (lambda: diversity.data_diversity("a"), "X='a': expected a table"),
        (lambda: diversity.vote_error_limits("a"), "errors must be numbers"),
        (lambda: selection.compare_ranks("a"), "table must be numbers"),
        (lambda: combiners.BlendCombiner([3]).fit(OUTPUTS), "combiner=3 is no combiner"),
        (lambda: combiners.BlendCombiner([]).fit(OUTPUTS), "combiners is empty"),
        (lambda: views.class_correlations("a", [0]), "X='a': class_correlations takes a table"),
        (lambda: OUTPUTS.take([5]), "take needs positions of members, from 0 to 1, a slice"),
        (lambda: OUTPUTS.take([0.5]), "take needs positions of members, from 0 to 1, a slice"),
        (lambda: combiners.TemperedCombiner({}).fit(SHARES), "combiner={}: give a rule"),
        (lambda: combiners.GeneralizedMeanCombiner(PAIR).fit(SHARES), "give a number, or 'fit'"),
        (lambda: combiners.combiner_of(LinearRegression()), "LinearRegression is a regressor"),
        (lambda: MemberOutputs([[0]], np.array([0.5], object), classes=[0, 1]), "y holds 0.5"),
        (lambda: decomposition.kohavi_wolpert([0], [[0]], unbiased=PAIR), "give True or False"),
        (lambda: diversity.independent_vote_error([0.1, 0.1, 0.1], PAIR), "n_members=array"),
        (lambda: diversity.vote_summary(OUTPUTS, [0]), "answers has shape (1,), expected (3,)"),
        (lambda: selection.select_forward(OUTPUTS, replace=PAIR), "replace=array"),
        (lambda: selection.select_forward(OUTPUTS, tol={}), "tol={}: give a number from 0"),
        (lambda: subsets.kernel_alignment(np.eye(2), [None, None]), "nothing but None"),
        (lambda: subsets.combine_kernels([np.eye(2)], weights=[1e308]), "numbers beyond 1e+150"),
        (lambda: subsets.cone_kernel(np.eye(3), angle=1e-320), "angle=1e-320: give"),
        (lambda: trees.as_sklearn(TREE, [0, 1], 2, "a"), "feature_names has shape ()"),
        (lambda: trees.tree_rules(TREE, feature_names=3), "feature_names=3: give a list"),
        (lambda: trees.restrict(TREE, [0.0, 0], [1.0, 1], missing=[]), "missing has shape (0,)"),
        (lambda: trees.same_function(TREE, TREE, missing=PAIR), "missing=array"),
        (lambda: trees.same_function(TREE, TREE, dtype="x"), "dtype='x': give np.float64"),
        (lambda: trees.refine_leaves(TREE, X, [0, 1, 1], tol="x"), "tol='x'"),
        (lambda: views.NoiseInjectionClassifier(width=1e308).fit(X, [0, 1, 1]), "to 1e+38"),
    ],
)
def test_the_argument_is_named(call, message):
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        call()


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200, 1e307])
def test_kernels_of_points_do_not_depend_on_the_unit(scale):
    points = np.array([[1.0, 0.0], [1.0, 1.0], [-2.0, 0.5]])
    expected = subsets.ball_kernel(points, radius=2.0)
    np.testing.assert_allclose(
        subsets.ball_kernel(points * scale, radius=2.0 * scale), expected, atol=1e-12
    )
    np.testing.assert_allclose(
        subsets.cone_kernel(points * scale), subsets.cone_kernel(points), atol=1e-12
    )


def test_points_too_far_apart_for_a_float_share_no_ball():
    points = [[1.7e308, 0.0], [-1.7e308, 0.0]]
    assert subsets.ball_kernel(points, radius=1.0).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_bounds_of_hardly_any_strength_are_numbers():
    assert diversity.forest_bound(strength=1e-320, correlation=0) == 0.0
    assert diversity.tandem_bound(OUTPUTS, delta=1e-50) > 1


def test_labels_in_half_precision_are_labels():
    y = np.array([0.5, 1.5], np.float16)
    assert decomposition.kohavi_wolpert(y, [[0.5, 1.5]]).error.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (views.RandomTransformClassifier(gain=1e308), "gain=1e+308"),
        (networks.EvolutionaryEnsembleClassifier(learning_rate=1e-320), "learning_rate=1e-320"),
        (networks.NegativeCorrelationClassifier(learning_rate=1e-320), "learning_rate=1e-320"),
        (networks.NegativeCorrelationRegressor(lam=1e308), "lam=1e+308"),
        (boosting.NCABSVMClassifier(C=1e308), "C=1e+308"),
    ],
)
def test_options_beyond_what_can_be_computed_are_refused(model, message):
    rows = np.random.RandomState(0).normal(size=(12, 2))
    with pytest.raises(ValueError, match=re.escape(message)):
        model.fit(rows, [0, 1] * 6)


def test_trust_names_columns_and_takes_voters_who_never_met():
    twice = pd.DataFrame([[1, 2], [3, 4]], columns=["b", "b"])
    with pytest.raises(ValueError, match="X_reference has two columns called 'b'"):
        trust.column_tests(twice, twice)
    with pytest.raises(ValueError, match="Column 0 holds values such as 'green'"):
        trust.cross_conformal(LinearRegression(), X * 4, list(range(12)), [["green", 1.0]])
    dates = np.array([[datetime.date(2026, 1, 1), 1.0]], dtype=object)
    with pytest.raises(ValueError, match=r"X_new holds what is no number|Column 0 holds"):
        trust.cross_conformal(LinearRegression(), X * 4, list(range(12)), dates)
    apart = trust.VoteLog.from_array([["a", None], [None, "a"]])
    assert len(trust.copying_pairs(apart)) == 0


@pytest.mark.parametrize("given", [{"density": 1e308}, {"slope": 1e-320}, {"bias": -1e308}])
def test_added_error_of_numbers_beyond_all_bounds(given):
    with pytest.raises(ValueError, match=f"{next(iter(given))}="):
        diversity.added_error(**({"density": 1.0, "slope": 1.0, "variance": 0.1} | given))


def test_an_array_in_the_place_of_progress():
    with pytest.raises(ValueError, match="progress="):
        selection.select_genetic(OUTPUTS, progress=np.array([True, False]))


def test_arrays_of_another_byte_order_are_numbers():
    rows = np.array(X * 4)
    low, high = trust.cross_conformal(LinearRegression(), rows.astype(">f8"), range(12), rows)
    assert (low <= high).all()
    frames = pd.DataFrame(rows), pd.DataFrame(rows).astype(">f8")
    for X_train, X_new in (frames, frames[::-1]):
        forest = RandomForestRegressor(2, random_state=0)
        low, high = trust.cross_conformal(forest, X_train, range(12), X_new)
        assert (low <= high).all()


def test_drift_is_told_of_arrays_of_another_byte_order():
    rows = np.random.RandomState(0).normal(size=(30, 2))
    told = [
        trust.classifier_test(kind(rows[:15]), kind(rows[15:]), n_estimators=5, random_state=0)
        for kind in (np.array, lambda a: a.astype(">f8"), lambda a: pd.DataFrame(a.astype(">f8")))
    ]
    assert told[0] == told[1] == told[2]


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("return_losses", lambda **given: trees.refine_leaves(FOREST, X, [0, 1, 1], **given)),
        ("one_se", lambda **given: trees.prune(TREE, **given)),
        (
            "lower_is_better",
            lambda **given: selection.compare_ranks(pd.DataFrame(np.eye(3)), **given),
        ),
    ],
)
def test_what_is_yes_or_no_is_no_array(name, call):
    call(**{name: True})
    for given in (PAIR, "yes", 2):
        with pytest.raises(ValueError, match=rf"{name}=.*: give True or False"):
            call(**{name: given})


def test_columns_of_a_member_are_a_list():
    with pytest.raises(TypeError, match=r"columns\[0\]=1: give a list of columns"):
        MemberOutputs.from_estimator(
            [DecisionTreeClassifier()], X * 4, [0, 1, 1] * 4, columns=[1], cv=3
        )


def test_targets_too_large_to_subtract():
    with pytest.raises(ValueError, match="y holds 1e"):
        trust.cross_conformal(LinearRegression(), X * 4, [1e308] * 12, X)


@pytest.mark.parametrize("given", [np.array([1.0, np.nan]), "much", 2.0])
def test_enrichment_that_is_no_share(given):
    model = subsets.StochasticDiscriminationClassifier(3, min_enrichment=given)
    with pytest.raises((TypeError, ValueError), match="min_enrichment="):
        model.fit(X * 4, [0, 1, 1] * 4)


def test_widths_whose_squares_are_no_numbers():
    with pytest.raises(ValueError, match="log2_width_min=-1000000000"):
        boosting.NCABSVMClassifier(log2_width_min=-(10**9)).fit(X * 4, [0, 1, 1] * 4)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([5], r"columns=\[5\]: give names, whole numbers from 0 to 1"),
        (np.array([[0.5]]), r"columns=array\(\[\[0.5\]\]\): give names"),
        ([True], "a flag for each of the 2 columns"),
        ([None], r"columns=\[None\]: give names"),
        (["age"], "X has no column 'age'"),
    ],
)
def test_columns_of_members_are_those_of_the_table(columns, message):
    frame = pd.DataFrame(X, columns=["a", "b"])
    with pytest.raises(ValueError, match=message):
        MemberOutputs.from_estimator(
            [DecisionTreeClassifier()], frame, [0, 1, 1], cv=KFold(3), columns=[columns]
        )


@pytest.mark.parametrize("words", [["a", "b"], np.array(["a", "b"], dtype=object), [[["a"]]]])
def test_words_are_no_table_whatever_their_shape(words):
    shaped = np.array(words, dtype=object) if isinstance(words[0], list) else words
    for call in (
        lambda: subsets.ball_kernel(shaped, X),
        lambda: trees.PrunedTreeClassifier().fit(shaped, [0, 1]),
    ):
        with pytest.raises(ValueError, match=r"Column 0 holds values such as 'a', and .* numbers"):
            call()
