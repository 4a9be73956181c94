import http.client
import json

import chromium
import numpy as np
import pandas as pd
import pytest
from studio_page import READY

from counterpoint import tabular
from counterpoint.studio import open_studio


def make_table(n=240, seed=0):
    """Two classes that a few columns tell apart, with noise, words and gaps."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 4)).round(3), columns=["size", "weight", "age", "noise"])
    X["colour"] = np.array(["red", "green", "blue"])[rng.integers(3, size=n)]
    score = X["size"] + X["weight"] * X["age"] + 0.8 * (X["colour"] == "red")
    X["kind"] = np.where(score + rng.normal(0, 0.7, n) > 0.3, "plum", "apple")
    X.loc[::17, "age"] = np.nan
    return X


@pytest.fixture(scope="session")
def table_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("studio") / "fruit.csv"
    make_table().to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def fitted(table_file):
    return tabular.fit(str(table_file), "kind", "bagging", random_state=0)


@pytest.fixture(scope="session")
def model_file(fitted, tmp_path_factory):
    return tabular.save(fitted, tmp_path_factory.mktemp("model") / "model.skops")


@pytest.fixture(scope="session")
def price_file(tmp_path_factory):
    """A table whose target is a number."""
    table = make_table(160).drop(columns="kind")
    rng = np.random.default_rng(1)
    table["price"] = (
        3 * table["size"] + 2 * (table["colour"] == "red") + rng.normal(size=160)
    ).round(3)
    path = tmp_path_factory.mktemp("studio") / "price.csv"
    table.to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def price_model(price_file, tmp_path_factory):
    fitted = tabular.fit(str(price_file), "price", "bagging", random_state=0)
    return tabular.save(fitted, tmp_path_factory.mktemp("model") / "price.skops")


class Asked:
    """A studio, asked over the wire as a browser would."""

    def __init__(self, served):
        self.served = served

    def send(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.served.port, timeout=30)
        given = {
            "X-Studio-Token": self.served.token,
            **{k.replace("_", "-"): v for k, v in headers.items()},
        }
        given = {name: value for name, value in given.items() if value is not None}
        connection.request(method, path, body, given)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer, content

    def ask(self, question, **data):
        answer, content = self.send("POST", f"/api/{question}", json.dumps(data))
        return answer.status, json.loads(content)


@pytest.fixture
def serve():
    """Open studios that are closed again."""
    opened = []

    def open_one(given=None, **options):
        opened.append(open_studio(given, browser=False, wait=False, **options))
        return Asked(opened[-1])

    yield open_one
    for served in opened:
        served.close()


browser = pytest.fixture(chromium.session, scope="session")


@pytest.fixture
def show(browser, serve):
    shown = []

    def open_page(given=None, *, ready=READY, width=1200, dark=False, **options):
        studio = serve(given, **options)
        page = browser.page(studio.served.address, width=width, dark=dark)
        shown.append(page)
        if ready:
            page.wait(ready)
        return page

    yield open_page
    for page in shown:
        page.close()
