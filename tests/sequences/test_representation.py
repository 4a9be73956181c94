import numpy as np
import pytest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler

from counterpoint.sequences import EventLog, RecentEventsTransformer, histories, make_churn_events

SEQUENCES = [np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 60.0]]), np.array([[7.0, 8.0]])]


def test_mean_concat_and_decay_by_hand():
    mean = RecentEventsTransformer(2).fit_transform(SEQUENCES)
    assert mean.tolist() == [[3.0, 40.0], [7.0, 8.0]]
    side = RecentEventsTransformer(2, how="concat").fit_transform(SEQUENCES)
    assert side[0].tolist() == [4.0, 60.0, 2.0, 20.0]
    assert np.isnan(side[1, 2:]).all()
    fading = RecentEventsTransformer(3, how="decay", rate=0.5).fit_transform(SEQUENCES)
    assert fading[0, 0] == pytest.approx((4 + 0.5 * 2 + 0.25 * 1) / 1.75)


def test_columns_by_name_and_the_names_that_come_out():
    events = make_churn_events(1000, random_state=0).events
    log = EventLog.from_frame(events, entity="customer", time="time", type="event")
    found = histories(log, target="churn", length=2)
    maker = RecentEventsTransformer(2, how="concat", columns=["event", "promise"]).fit(found)
    assert maker.get_feature_names_out().tolist() == [
        "event 0 back", "promise 0 back", "event 1 back", "promise 1 back",
    ]  # fmt: skip
    assert maker.transform(found).shape == (len(found), 4)
    model = make_pipeline(
        RecentEventsTransformer(2), StandardScaler(), LogisticRegression(class_weight="balanced")
    )
    model.fit(found, found.y)
    assert model.predict_proba(found).shape == (len(found), 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_events": 0}, "n_events=0"),
        ({"how": "sum"}, "choose 'mean', 'concat', 'decay'"),
        ({"rate": 0}, "rate=0"),
        ({"columns": [5]}, "column 5"),
        ({"columns": ["age"]}, "name 'age'"),
    ],
)
def test_wrong_options_say_what_to_change(options, message):
    with pytest.raises(ValueError, match=message):
        RecentEventsTransformer(**options).fit(SEQUENCES)


def test_an_additive_model_of_events():
    """What the page of HMMs names: each column of each event adds to the log-odds by itself."""
    rng = np.random.default_rng(0)
    sequences = [rng.normal(size=(3, 2)) for _ in range(120)]
    y = np.array([s[-1, 0] ** 2 + s[-2, 1] > 1 for s in sequences])
    model = make_pipeline(
        RecentEventsTransformer(2, how="concat"),
        SimpleImputer(),
        SplineTransformer(),
        LogisticRegression(),
    ).fit(sequences, y)
    assert model.score(sequences, y) > 0.8
    a, b = 0.7, -0.4

    def odds(last, before):
        one = np.zeros((3, 2))
        one[-1, 0], one[-2, 1] = last, before
        return model.decision_function([one])[0]

    assert odds(a, b) - odds(0, b) == pytest.approx(odds(a, 0) - odds(0, 0))
    assert abs(odds(1.5, 0) - odds(0, 0)) > 0.5


def test_the_nearest_sequences():
    """What the page of HMMs names: sequences compared event by event, from the latest on."""
    rng = np.random.default_rng(0)
    known = [rng.normal(size=(rng.integers(2, 6), 3)) for _ in range(60)]
    asked = [rng.normal(size=(rng.integers(2, 6), 3)) for _ in range(15)]
    y = rng.integers(2, size=60)
    model = make_pipeline(RecentEventsTransformer(2, how="concat"), KNeighborsClassifier(3))
    said = model.fit(known, y).predict(asked)
    for one, label in zip(asked, said, strict=True):
        far = [sum(((one[-k] - other[-k]) ** 2).sum() for k in (1, 2)) for other in known]
        assert label == (y[np.argsort(far)[:3]].sum() >= 2)
