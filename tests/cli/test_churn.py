"""`counterpoint churn`: a table here, a list and a page there."""

import json

import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from counterpoint.sequences import EventLog, RecentEventsTransformer, find_at_risk, risk
from counterpoint.sequences.simulation import make_churn_events

COLUMNS = ["--entity", "customer", "--time", "time", "--type", "event", "--target", "churn"]


def quick(length=2, *, random_state=None):
    return {"Bayes": make_pipeline(RecentEventsTransformer(length), GaussianNB())}


@pytest.fixture
def events(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(risk, "default_models", quick)
    path = tmp_path / "events.csv"
    make_churn_events(1500, base_hazard=0.003, random_state=0).events.to_csv(path, index=False)
    return path


def test_churn(run, events, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("churn", events)
    assert ran.code == 0
    assert ran.err == (
        "counterpoint: wrote the list to at-risk.csv\ncounterpoint: wrote the page to churn.html\n"
    )
    assert max(map(len, ran.out.splitlines())) <= 80
    printed = " ".join(ran.out.split())
    assert "entity 'customer', time 'time', type 'event', target 'churn'" in printed
    log = EventLog.from_csv(events, entity="customer", time="time", type="event")
    found = find_at_risk(log, target="churn", models=quick(), random_state=0)
    gain = f"{found.earlier.loc['Bayes', 'gain']:+.0f} ({found.earlier.loc['Bayes', 'n']} calls)"
    assert gain in ran.out
    listed = pd.read_csv("at-risk.csv")
    assert listed.columns.tolist() == [
        "rank", "customer", "act", "probability", "expected_gain", "within", "likely_by", "reason",
        "type", "time", "events",
    ]  # fmt: skip
    assert listed["customer"].tolist() == found.ranking["entity"].tolist()
    assert listed["act"].sum() == found.ranking["act"].sum()
    page = (events.parent / "churn.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "http" not in page.split("<body>")[1]
    assert page.count("<svg ") == 1


def test_the_page_leads_with_what_to_do(run, events):
    told = json.loads(run("churn", events, "--gain", "60", "--json").out)
    page = (events.parent / "churn.html").read_text(encoding="utf-8")
    assert f"<h1>Act on the first {told['n_act']} of {told['n_ranked']}</h1>" in page
    first = page.split("<main>")[0]
    assert f"{told['expected_gain']:.2f}" in first or f"{told['expected_gain']:.10g}" in first
    assert told["last_period"].split(":")[0] in page
    for row in told["listed"][:5]:
        assert row["reason"] in page
        assert f"{100 * row['probability']:.1f}\N{NO-BREAK SPACE}%" in page


def test_messy_events(run, events):
    """Dates as people write them, words beside the numbers, rows without an id or a date."""
    frame = pd.read_csv(events)
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(frame["time"], unit="D")
    frame = frame.assign(
        time=days.dt.strftime("%d.%m.%Y"),
        channel=["web", "shop", "phone"] * (len(frame) // 3) + ["web"] * (len(frame) % 3),
        customer="C" + frame["customer"].astype(str),
    ).rename(columns={"customer": "Client ID", "time": "Datum", "event": "Event type"})
    frame.loc[[3, 9], "Client ID"] = None
    frame.loc[5, "Datum"] = "soon"
    frame.to_csv(events, index=False, sep=";", encoding="cp1252")
    ran = run("churn", events, "--horizon", "30")
    assert ran.code == 0
    assert "3 of" in ran.err
    assert "2 with no 'Client ID', 1 with a 'Datum' that cannot be read" in ran.err
    assert "entity 'Client ID', time 'Datum', type 'Event type'" in " ".join(ran.out.split())
    listed = pd.read_csv("at-risk.csv", parse_dates=["likely_by", "time"])
    late = (listed["likely_by"] - days.max()).dt.days
    assert late.between(0, 30).all()
    assert "within 30 days" in (events.parent / "churn.html").read_text(encoding="utf-8")


def test_json_says_the_same_as_the_list(run, events):
    ran = run("churn", events, *COLUMNS, "--json", "--capacity", "5", "--gain", "50")
    told = json.loads(ran.out)
    assert told["n_act"] <= 5
    listed = pd.read_csv("at-risk.csv")
    assert told["n_ranked"] == len(listed)
    assert told["listed"][0]["entity"] == listed["customer"][0]
    assert {row["period"] for row in told["periods"]} == {"train", "choose", "test"}


def test_names_in_the_data_cannot_break_the_page(run, events):
    frame = pd.read_csv(events)
    frame["customer"] = "<script>" + frame["customer"].astype(str)
    frame.to_csv(events, index=False)
    assert run("churn", events, *COLUMNS).code == 0
    page = (events.parent / "churn.html").read_text(encoding="utf-8")
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(("option", "mark"), [([], "'"), (["--no-spreadsheet-safe"], "")])
def test_the_list_is_safe_to_open_in_a_spreadsheet(run, events, option, mark):
    frame = pd.read_csv(events).rename(columns={"customer": "@who"})
    frame["@who"] = "=cmd" + frame["@who"].astype(str)
    frame.to_csv(events, index=False)
    assert run("churn", events, "--entity", "@who", *COLUMNS[2:], *option).code == 0
    listed = pd.read_csv("at-risk.csv")
    assert listed.columns[1] == f"{mark}@who"
    assert listed.iloc[:, 1].str.startswith(f"{mark}=cmd").all()


def test_parquet_features_and_names_of_files(run, events):
    pd.read_csv(events).to_parquet(events.with_suffix(".parquet"))
    ran = run(
        "churn", "events.parquet", *COLUMNS, "--columns", "duration,promise", "--length", 3,
        "-o", "page.html", "--csv", "list.csv",
    )  # fmt: skip
    assert ran.code == 0
    assert (events.parent / "page.html").exists()
    assert (events.parent / "list.csv").exists()


def test_acting_that_does_not_pay_is_said(run, events):
    ran = run("churn", events, *COLUMNS, "--gain", "0.5")
    assert "Acting does not pay" in ran.out
    assert pd.read_csv("at-risk.csv")["act"].sum() == 0


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (["--entity", "kunde"], "no column 'kunde'; there are ['customer', 'time'"),
        (["--target", "leave"], "--target 'leave' is no type of this log"),
        (["--time", "event"], "holds times that cannot be read, such as"),
        (["--columns", "colour"], "no column 'colour'"),
        (["--length", "80"], "--length 80"),
        (["--output", "no/page.html"], "There is no folder no"),
    ],
)
def test_bad_input_is_one_line(fails, events, change, line):
    assert line in fails("churn", events, *COLUMNS, *change)
    assert not (events.parent / "at-risk.csv").exists()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "is empty: expected a header"),
        ("customer,time,event\n", "has a header but no rows"),
        ("customer,time,event\n1,1,x\n1,2,x\n1,3,churn\n2,1,x\n", "Nobody is left to rank"),
        (
            "customer,time,event\n1,1,x\n1,2,x\n1,3,churn\n2,1,x\n2,2,x\n2,3,x\n",
            "are needed to learn",
        ),
    ],
)
def test_files_with_too_little_in_them(fails, events, text, line):
    events.write_text(text)
    assert line in fails("churn", events, *COLUMNS)


def test_no_file(fails, tmp_path):
    line = fails("churn", tmp_path / "x.csv", *COLUMNS)
    assert line == f"There is no file {tmp_path / 'x.csv'}."
    assert "is a folder" in fails("churn", tmp_path, *COLUMNS)


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["--gain", "0"], "0 is not above 0"),
        (["--capacity", "-1"], "-1 is not above 0"),
        (["--csv", "events.csv"], "events.csv holds the events"),
        (["--csv", "churn.html"], "two names"),
        (["--length", "0"], "'--length'"),
    ],
)
def test_wrong_usage(fails, events, args, line):
    assert line in fails("churn", events, *COLUMNS, *args, code=2)


def test_it_asks_for_what_it_cannot_find(fails, events):
    frame = pd.read_csv(events)
    frame.replace({"event": {"churn": "other"}}).to_csv(events, index=False)
    line = fails("churn", events)
    assert "Which type of event is to be predicted?" in line
    assert line.endswith("Name one with --target.")
    frame.assign(client=frame["customer"], customer2=1).drop(columns="time").to_csv(
        events, index=False
    )
    assert "Name it with --time." in fails("churn", events)


def test_help_imports_nothing_heavy():
    import subprocess
    import sys

    code = (
        "import sys; from counterpoint.cli import main; main(['churn', '--help']);"
        "print([m for m in ('numpy', 'pandas', 'sklearn', 'numba') if m in sys.modules],"
        "file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "--target" in done.stdout
