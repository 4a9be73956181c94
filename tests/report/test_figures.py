"""Pictures are made, whole, and say when they cannot be."""

import base64
import io

import matplotlib.image
import numpy as np
import pytest
from matplotlib.figure import Figure

from counterpoint import MemberOutputs
from counterpoint.plots import MarginDisplay
from counterpoint.report.figures import demo_figures, overview, save_figure

VOTES = [["a", "b", "b", "a"], ["a", "a", "b", "a"], ["b", "b", "b", "a"]]
Y = ["a", "b", "b", "b"]


def titles(figure):
    return [axes.get_title().partition("\n")[0] for axes in figure.axes if axes.get_title()]


def texts(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_overview_has_four_panels():
    figure = overview(MemberOutputs(VOTES, Y))
    assert titles(figure) == [
        "Kappa-error diagram",
        "Q statistic of every pair",
        "Margins of the vote",
        "As the ensemble grows",
    ]


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        (MemberOutputs(VOTES[:1], Y), ["This needs two members or more."] * 3),
        (MemberOutputs.from_correct([[1, 0], [0, 0]]), ["This needs the members' labels."]),
        (MemberOutputs.from_correct([[1, 0]]), ["This needs the members' labels."]
         + ["This needs two members or more."] * 2),
    ],
)  # fmt: skip
def test_overview_says_what_it_cannot_draw(outputs, words):
    figure = overview(outputs)
    assert [text for text in texts(figure) if text.startswith("This needs")] == words
    assert len(titles(figure)) == 4


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_the_same_figure_gives_the_same_bytes(tmp_path, kind):
    figure = Figure()
    MarginDisplay.from_outputs(MemberOutputs(VOTES, Y), ax=figure.subplots())
    first = save_figure(figure, tmp_path / f"a.{kind}").read_bytes()
    again = save_figure(figure, tmp_path / f"b.{kind}").read_bytes()
    assert first == again
    assert len(list(tmp_path.iterdir())) == 2


def test_demo_figures(demo_result):
    figures = demo_figures(demo_result)
    assert [figure.title for figure in figures] == [
        "Agreement against error",
        "As the ensembles grow",
        "How sure the votes are",
        "Who agrees with whom",
    ]
    for figure in figures:
        kind, _, data = figure.source.partition(",")
        assert kind == "data:image/png;base64"
        picture = matplotlib.image.imread(io.BytesIO(base64.b64decode(data)))
        height, width = picture.shape[:2]
        assert width > 1000
        assert height > 400
        assert np.ptp(picture[..., :3]) > 0.5  # something is drawn
        for method in demo_result.methods:
            assert method.name in figure.alt
        assert "nan" not in figure.alt


def test_a_method_of_one_member_is_left_out_of_the_pairs(demo_result):
    from dataclasses import replace

    bagging, ada, networks = demo_result.methods
    alone = replace(ada, outputs=ada.outputs.take([0]))
    figures = demo_figures(replace(demo_result, methods=[bagging, alone, networks]))
    assert ["AdaBoost" in figure.alt for figure in figures] == [False, False, True, False]
    figures = demo_figures(replace(demo_result, methods=[alone]))
    assert [figure.title for figure in figures] == ["How sure the votes are"]
