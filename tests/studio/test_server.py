"""What the studio lets in, and what it does not."""

import json
import pickle
import socket
import subprocess
import sys
import time

import numpy as np
import pytest

from counterpoint import MemberOutputs, tabular
from counterpoint.diversity import label_kappa
from counterpoint.studio import Session, open_studio, server
from counterpoint.tabular import WhatIf

SCRIPTS = (
    "main", "studio", "ensemble", "cloud", "matrix", "rows", "charts", "kinds", "dom", "shared",
    "sliders", "tree", "table", "paint",
)  # fmt: skip


@pytest.fixture
def small(serve):
    return serve(MemberOutputs([[0, 1, 1, 0], [0, 0, 1, 1], [1, 1, 0, 0]], [0, 1, 1, 0]))


def test_the_page_is_small_and_holds_nothing_from_elsewhere(small):
    answer, page = small.send("GET", "/", X_Studio_Token=None)
    assert answer.status == 200
    total = len(page)
    for name in SCRIPTS:
        answer, content = small.send("GET", f"/{name}.js", X_Studio_Token=None)
        assert answer.status == 200
        assert answer.getheader("content-type").startswith("text/javascript")
        assert b"http://" not in content.replace(b"http://www.w3.org/2000/svg", b"")
        assert b"https://" not in content
        assert b"innerHTML" not in content
        total += len(content)
    for name in ("studio.css", "marks.css", "palette.css", "icon.svg"):
        total += len(small.send("GET", f"/{name}")[1])
    assert total < 300_000


def test_headers_let_nothing_else_in(small):
    answer, _ = small.send("GET", "/")
    policy = answer.getheader("content-security-policy")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.getheader("x-content-type-options") == "nosniff"
    assert answer.getheader("referrer-policy") == "no-referrer"
    assert answer.getheader("cache-control") == "no-store"


@pytest.mark.parametrize("token", [None, "", "wrong", "\xe9"])
def test_nothing_is_answered_without_the_token(small, token):
    answer, content = small.send("POST", "/api/state", "{}", X_Studio_Token=token)
    assert answer.status == 403
    assert "token" in json.loads(content)["error"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
@pytest.mark.parametrize("path", ["/", "/main.js", "/api/state"])
def test_other_hosts_and_other_pages_are_turned_away(small, headers, path):
    answer, _ = small.send("POST" if "api" in path else "GET", path, "{}", **headers)
    assert answer.status == 403


def test_its_own_page_may_ask(small):
    own = f"http://127.0.0.1:{small.served.port}"
    assert small.send("POST", "/api/state", "{}", Origin=own)[0].status == 200


@pytest.mark.parametrize(
    "path",
    ["/../server.py", "/..%2f..%2f..%2fetc%2fpasswd", "/%2e%2e/server.py", "/page/main.js", "/.",
     "/static/../../x", "//etc/passwd", "/main.js/..%2fserver.py", "/C:%5Cwindows"],
)  # fmt: skip
def test_only_files_of_the_page_are_read(small, path):
    answer, content = small.send("GET", path)
    assert answer.status in (404, 405)
    assert b"import" not in content


def test_it_listens_on_this_machine_alone(small):
    assert small.served._socket.getsockname()[0] == "127.0.0.1"
    address = f"http://127.0.0.1:{small.served.port}/#{small.served.token}"
    assert small.served.address == address
    assert len(small.served.token) >= 32


def test_what_is_dropped_is_bounded(small, monkeypatch):
    monkeypatch.setattr(server, "MOST_DROPPED", 1000)
    answer, content = small.send("POST", "/api/drop?name=a.csv", b"x" * 1001)
    assert answer.status == 413
    assert "name it when you start" in json.loads(content)["error"]

    def parts():  # of unknown length
        for _ in range(3):
            yield b"y" * 500

    answer, _ = small.send("POST", "/api/drop?name=a.csv", parts())
    assert answer.status == 413
    monkeypatch.setattr(server, "_MOST_ASKED", 10)
    assert small.send("POST", "/api/judge", b'{"rule": "vote"}')[0].status == 413


class Bomb:
    def __reduce__(self):
        return print, ("unpickled",)


@pytest.mark.parametrize("name", ["a.skops", "a.pkl", "a.csv", "a.parquet", "../../a.xlsx"])
def test_a_pickle_is_never_run(small, capfd, name):
    answer, content = small.send("POST", f"/api/drop?name={name}", pickle.dumps(Bomb()))
    assert answer.status == 400
    assert json.loads(content)["error"]
    assert "unpickled" not in capfd.readouterr().out


@pytest.mark.parametrize(
    ("question", "data", "status", "word"),
    [
        ("nothing", {}, 400, "no such question"),
        ("judge", {"rule": "magic"}, 400, "rule='magic'"),
        ("judge", {"rule": "vote", "weights": [1]}, 400, "weights"),
        ("judge", {"rule": "vote", "weights": [0.5, 1, 1]}, 400, "whole"),
        ("judge", {}, 400, "rule"),
        ("row", {"row": 99}, 400, "row=99"),
        ("row", {"row": -1}, 400, "row=-1"),
        ("brush", {"members": []}, 400, "members"),
        ("tree", {}, 400, "Only a model"),
        ("fit", {"target": "x"}, 400, "no table"),
        ("path", {"kind": "lam"}, 400, "no rows"),
        ("path", {"kind": "magic"}, 400, "no rows"),
        ("paint", {"points": [[0, 0, 0]]}, 400, "two classes"),
        ("thresholds", {"rule": "vote", "fn": -1}, 400, "costs from 0"),
    ],
)
def test_errors_are_words_for_people(small, question, data, status, word):
    found, answer = small.ask(question, **data)
    assert found == status
    assert word in answer["error"]


@pytest.mark.parametrize("body", [b"[1]", b"{", b"\xff", b'"a"'])
def test_a_question_is_an_object(small, body):
    assert small.send("POST", "/api/judge", body)[0].status == 400


def test_two_studios_at_once_do_not_know_each_other(serve, small, model_file):
    other = serve(model_file)
    assert other.served.port != small.served.port
    assert small.ask("members")[1]["names"] != other.ask("members")[1]["names"]
    answer, _ = small.send("POST", "/api/state", "{}", X_Studio_Token=other.served.token)
    assert answer.status == 403
    with pytest.raises(ValueError, match=f"port={small.served.port}"):
        open_studio(port=small.served.port, browser=False, wait=False)


def test_a_file_that_changes_is_told_and_read_again(serve, tmp_path):
    path = tmp_path / "said.csv"
    path.write_text("class,a,b\nx,x,y\ny,y,y\nx,x,x\n")
    studio = serve(path)
    assert studio.ask("state")[1]["changed"] is False
    assert studio.ask("members")[1]["n_samples"] == 3
    path.write_text("class,a,b\nx,x,y\ny,y,y\nx,x,x\ny,y,x\n")
    assert studio.ask("state")[1]["changed"] is True
    assert studio.ask("members")[1]["n_samples"] == 3  # what was read stays as it was
    assert studio.ask("read_again")[1]["changed"] is False
    assert studio.ask("members")[1]["n_samples"] == 4
    path.unlink()
    assert studio.ask("state")[1]["changed"] is True


def test_what_is_read_again_is_read_as_it_was_said_to_be(serve, tmp_path):
    path = tmp_path / "said.csv"
    path.write_text("kind,a,b\nx,x,y\ny,y,y\nx,x,x\n")
    studio = serve(path, truth="kind")
    path.write_text("kind,a,b\nx,x,y\ny,y,y\nx,x,x\ny,y,x\n")
    assert studio.ask("read_again")[1]["ensemble"]
    assert studio.ask("members")[1]["n_samples"] == 4


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("empty.csv", b"", "empty.csv is empty"),
        ("photo.png", b"\x89PNG\r\n\x1a\n\x00\x00", "photo.png cannot be read"),
        ("sheet.xlsx", b"PK\x03\x04zz", "sheet.xlsx cannot be read"),
        ("old.xls", b"x", "old.xls is of a form"),
        ("../../up.csv", b"a,b\n", "up.csv has a header but no rows"),
        ("twice.csv", b"a,a\n1,2\n", "twice.csv has two columns"),
    ],
)
def test_a_wrong_file_is_named_and_what_was_open_stays(small, name, content, word):
    answer, told = small.send("POST", f"/api/drop?name={name}", content)
    assert answer.status == 400
    assert json.loads(told)["error"].startswith(word)
    assert small.ask("state")[1]["ensemble"]


def test_a_table_is_dropped_looked_at_and_fitted(serve, table_file):
    studio = serve()
    answer, content = studio.send("POST", "/api/drop?name=fruit.csv", table_file.read_bytes())
    assert answer.status == 200
    assert json.loads(content)["columns"][-1] == "kind"
    _, told = studio.ask("columns", target="kind", wishes={"noise": "left out"})
    uses = {row["name"]: row["taken_for"] for row in told["columns"]}
    assert uses["noise"] == "left out"
    assert uses["colour"] == "category"
    assert (
        studio.ask("fit", target="kind", method="bagging", wishes={"noise": "left out"})[0] == 200
    )
    assert studio.ask("fit", target="kind", method="bagging")[0] == 400  # one at a time
    answer, content = studio.send("GET", "/api/events")
    assert answer.getheader("content-type").startswith("text/event-stream")
    last = json.loads(content.decode().strip().split("data: ")[-1])
    assert last["event"] == "done"
    whole = tabular.read_table(table_file, target="kind", columns={"noise": "left out"})
    fitted = tabular.fit(whole, "kind", "bagging", random_state=0)
    assert last["error"] == fitted.score.error
    assert studio.ask("judge", rule="own")[1]["error"] == fitted.score.error


def test_a_fit_that_fails_says_why(serve, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("a,b\n" + "1,x\n2,x\n" * 10)
    studio = serve(path, target="b")
    assert studio.ask("fit", target="b", method="bagging")[0] == 200
    _, content = studio.send("GET", "/api/events")
    last = json.loads(content.decode().strip().split("data: ")[-1])
    assert last["event"] == "failed"
    assert "class" in last["error"]


def test_answers_are_those_of_the_packages_below(serve, fitted):
    studio = serve(fitted)
    outputs = fitted.assessment.outputs
    _, members = studio.ask("members")
    np.testing.assert_allclose(members["errors"], outputs.errors, atol=1e-6)
    np.testing.assert_allclose(members["alike"], label_kappa.matrix(outputs), atol=1e-4)
    assert sorted(members["order"]) == list(range(outputs.n_members))
    what = WhatIf(outputs)
    weights = [k % 3 for k in range(outputs.n_members)]
    assert studio.ask("judge", rule="vote", weights=weights)[1] == what.judge("vote", weights)
    assert studio.ask("brush", members=[1, 2, 3])[1]["rows"] == what.disputed([1, 2, 3], 24)
    _, row = studio.ask("row", row=5, tree=True)
    assert row["votes"] == outputs.votes[:, 5].tolist()
    assert len(row["nearest"]) == 5
    assert row["tree_says"] in ("apple", "plum")
    _, tree = studio.ask("tree", leaves=4)
    assert tree["shown"]["n_leaves"] == 4
    assert sum(tree["rows_at"]) == outputs.n_samples
    leaf = next(k for k, node in enumerate(tree["nodes"]) if node["yes"] is None)
    assert studio.ask("leaf", leaves=4, leaf=leaf)[1]["n_rows"] == tree["rows_at"][leaf]


def test_the_program_prints_the_numbers_of_the_page(serve, model_file, capsys):
    studio = serve(model_file)
    weights = [1] * 20 + [0] * 25 + [3] * 5
    for rule, say in (("own", None), ("vote", weights), ("choquet", None)):
        _, told = studio.ask("judge", rule=rule, weights=say)
        _, made = studio.ask("script", rule=rule, weights=say)
        exec(compile(made["script"], "script", "exec"), {})
        first, *recalls = capsys.readouterr().out.splitlines()
        assert first == (
            f"error {told['error']:.6f} ({told['low']:.6f} to {told['high']:.6f}), log-loss "
            f"{told['log_loss']:.6f}, {told['n_members']} members"
        )
        for line, row in zip(recalls, told["classes"], strict=True):
            assert line == f"recall of {row['label']}: {row['recall']:.6f}"


def test_a_program_of_predictions_and_of_a_fit(serve, tmp_path, table_file):
    path = tmp_path / "said's.csv"
    path.write_text("class,a,b,c\nx,x,y,x\ny,y,y,x\nx,x,x,y\n")
    studio = serve(path)
    _, told = studio.ask("judge", rule="vote", weights=[1, 0, 2])
    _, made = studio.ask("script", rule="vote", weights=[1, 0, 2])
    fit = Session(table_file, target="kind")
    fit.answer("fit", {"target": "kind", "method": "bagging", "wishes": {"noise": "left out"}})
    fit.job.wait(60)
    text = fit.answer("script", {"rule": "mean"})["script"]
    ran = subprocess.run(  # a process of its own: nothing it needs is there by chance
        [sys.executable, "-c", f"{made['script']}\n{text}"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert f"error {told['error']:.6f}" in ran
    assert f"error {fit.answer('judge', {'rule': 'mean'})['error']:.6f}" in ran


def test_page_and_model_can_be_taken_along(serve, model_file, tmp_path):
    studio = serve(model_file)
    answer, page = studio.send("POST", "/api/download/page", json.dumps({"rule": "vote"}))
    assert answer.status == 200
    assert page.startswith(b"<!doctype html>")
    assert b"In the studio 50 members were combined by &#39;vote&#39;" in page
    answer, content = studio.send("POST", "/api/download/model", "{}")
    (tmp_path / "again.skops").write_bytes(content)
    again, before = tabular.load(tmp_path / "again.skops"), tabular.load(model_file)
    np.testing.assert_array_equal(
        again.model.predict(before.X_test), before.model.predict(before.X_test)
    )
    assert studio.send("POST", "/api/download/secrets", "{}")[0].status == 400


def test_right_and_wrong_alone_can_be_looked_at(serve):
    studio = serve(MemberOutputs.from_correct([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 1]]))
    assert studio.ask("judge", rule="vote")[1]["error"] == 0.25
    assert studio.ask("members")[1]["errors"] == [0.5, 0.5, 0.25]


def test_the_command_serves_and_ends_with_ctrl_c(model_file):
    began = subprocess.Popen(
        [sys.executable, "-m", "counterpoint.cli", "studio", str(model_file), "--no-open"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        line = began.stderr.readline()
        assert "http://127.0.0.1:" in line
        port = int(line.split("127.0.0.1:")[1].split("/")[0])
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        began.send_signal(2)
        assert began.wait(20) in (0, 130)
    finally:
        began.kill()
        began.stderr.close()
