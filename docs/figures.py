"""Draw the pictures of docs/plots.md into docs/images: python docs/figures.py."""

from io import BytesIO
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from PIL import Image
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs
from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.datasets import (
    TabularEncoder,
    bayes_posterior,
    load,
    make_ripley,
    make_two_gaussians,
)
from counterpoint.plots import (
    DecompositionDisplay,
    DiversityMatrixDisplay,
    HistoryDisplay,
    KappaErrorDisplay,
    MarginDisplay,
    MemberBoundariesDisplay,
    TrajectoryDisplay,
    TreeDisplay,
    plot_decision_boundary,
)
from counterpoint.trees import MergedTreeClassifier

IMAGES = Path(__file__).parent / "images"


def fitted_ensembles():
    """Three ensembles on German credit data, and what they never saw."""
    X, y = load("german-credit", return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
    encoder = TabularEncoder().fit(X_train, y_train)
    X_train, X_test = encoder.transform(X_train), encoder.transform(X_test)
    shallow = DecisionTreeClassifier(max_depth=2)
    ensembles = {
        "bagging": BaggingClassifier(n_estimators=50, random_state=0),
        "random forest": RandomForestClassifier(n_estimators=50, random_state=0),
        "AdaBoost": AdaBoostClassifier(shallow, n_estimators=50, random_state=0),
    }
    for ensemble in ensembles.values():
        ensemble.fit(X_train, y_train)
    return ensembles, X_test, y_test


def save(figure, name):
    drawn = BytesIO()
    figure.savefig(drawn, dpi=110)
    plt.close(figure)
    # With a palette the file is a third as large, and nobody sees a difference.
    picture = Image.open(drawn).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    picture.save(IMAGES / name, optimize=True)


def draw_kappa_error(ensembles, X, y):
    save(KappaErrorDisplay.from_estimator(ensembles, X, y).figure_, "kappa_error.png")


def draw_diversity_matrix(ensembles, X, y):
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    few = MemberOutputs.from_estimator(ensembles["bagging"], X, y).take(slice(10))
    DiversityMatrixDisplay.from_outputs(few, measure="disagreement", ax=left)
    DiversityMatrixDisplay.from_estimator(
        ensembles["AdaBoost"], X, y, measure="q", order="cluster", ax=right
    )
    left.set_title("Bagging: disagreement of 10 trees")
    right.set_title("AdaBoost: Q statistic, clustered")
    save(figure, "diversity_matrix.png")


def draw_trajectory(ensembles, X, y):
    measures = ["q", "kohavi_wolpert_variance"]
    display = TrajectoryDisplay.from_estimator(ensembles, X, y, measures=measures)
    save(display.figure_, "trajectory.png")


def draw_margins(ensembles, X, y):
    save(MarginDisplay.from_estimator(ensembles, X, y).figure_, "margins.png")


def draw_decomposition():
    X, y = make_ripley(1000, random_state=0)
    X_test, _ = make_ripley(1000, random_state=1)
    display = DecompositionDisplay.from_estimator(
        RandomForestClassifier(n_estimators=15),
        X,
        y,
        param_name="max_depth",
        param_range=[1, 2, 3, 4, 6, 8, 12],
        method="effect",
        X_test=X_test,
        y_proba_test=bayes_posterior("ripley", X_test),
        train_size=150,
        n_trials=30,
        random_state=0,
    )
    save(display.figure_, "decomposition.png")


def draw_boundaries():
    X, y = make_ripley(250, random_state=0)
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    bagging = BaggingClassifier(n_estimators=25, random_state=0).fit(X, y)
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), sharey=True, layout="constrained")
    plot_decision_boundary(tree, X, y, ax=axes[0], legend_kwargs={"loc": "lower left"})
    MemberBoundariesDisplay.from_estimator(
        bagging, X, y, ax=axes[1], legend_kwargs={"loc": "lower left"}
    )
    axes[0].set_title("One tree")
    axes[1].set_title("25 bagged trees")
    axes[1].set_ylabel("")
    save(figure, "boundaries.png")


def draw_lambda():
    """Figure 2 of Wang and Yao (2010): boundaries at lambda 0, 2 and 9, 51 trees."""
    X, y = make_two_gaussians(400, distance=2.6, random_state=3)
    figure, axes = plt.subplots(1, 3, figsize=(12, 4.1), sharey=True, layout="constrained")
    for ax, lam in zip(axes, (0.0, 2.0, 9.0), strict=True):
        model = AdaBoostNCClassifier(n_estimators=51, lam=lam).fit(X, y)
        plot_decision_boundary(model, X, y, ax=ax, legend_kwargs={"loc": "lower left"})
        ax.set_title(f"lambda = {lam:g}")
        if ax is not axes[0]:
            ax.set_ylabel("")
            ax.get_legend().remove()
    save(figure, "lambda.png")


def draw_history():
    X, y = load("german-credit", return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
    encoder = TabularEncoder().fit(X_train, y_train)
    model = AdaBoostNCClassifier(n_estimators=51, lam=4.0, random_state=0)
    model.fit(encoder.transform(X_train), y_train, eval_set=(encoder.transform(X_test), y_test))
    save(HistoryDisplay.from_estimator(model).figure_, "history.png")


def draw_front():
    """Draw the first picture of all: an ensemble measured, voting, and melted into one tree."""
    (X, y), (X_new, y_new) = make_ripley(250, random_state=0), make_ripley(1000, random_state=1)
    X, X_new = (pd.DataFrame(rows, columns=["x", "y"]) for rows in (X, X_new))
    names = np.array(["blue", "red"])
    ensemble = BaggingClassifier(DecisionTreeClassifier(max_depth=4), 15, random_state=0)
    ensemble.fit(X, names[y])
    one = MergedTreeClassifier(50, max_leaf_nodes=6, readable=True, random_state=0)
    one.fit(X, names[y])
    figure, axes = plt.subplots(
        1, 3, figsize=(13.8, 3.9), layout="constrained", width_ratios=[1.0, 1.0, 1.8]
    )
    KappaErrorDisplay.from_estimator(
        ensemble, X_new, names[y_new], ax=axes[0], name="15 trees",
        legend_kwargs={"loc": "upper right"},
    )  # fmt: skip
    MemberBoundariesDisplay.from_estimator(
        ensemble, X, names[y], ax=axes[1], legend_kwargs={"loc": "lower left"}
    )
    TreeDisplay.from_estimator(one, ax=axes[2])
    for ax, title in zip(axes, ("Measure", "Build", "Melt into one"), strict=True):
        ax.set_title(title, fontweight="bold")
    save(figure, "front.png")


def main():
    IMAGES.mkdir(exist_ok=True)
    ensembles, X, y = fitted_ensembles()
    for draw in (draw_kappa_error, draw_diversity_matrix, draw_trajectory, draw_margins):
        draw(ensembles, X, y)
    draw_decomposition()
    draw_boundaries()
    draw_lambda()
    draw_history()
    draw_front()


if __name__ == "__main__":
    main()
