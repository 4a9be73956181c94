"""The studio of a notebook: the same modules as one, and the same answers by messages."""

import re
from pathlib import Path

from counterpoint import MemberOutputs
from counterpoint.studio import Studio, server
from counterpoint.studio.widget import MODULES, one_module, one_style

OUTPUTS = MemberOutputs([[0, 1, 1, 0], [0, 0, 1, 1], [1, 1, 0, 0]], [0, 1, 1, 0])


def test_every_module_of_the_page_is_in_it_and_no_name_is_taken_twice():
    folder = Path(server.__file__).parent / "page"
    assert {path.stem for path in folder.glob("*.js")} == {*MODULES, "main"} - {"shared"}
    text = one_module()
    assert "\nimport " not in text
    names = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", text, re.MULTILINE)
    assert len(names) == len(set(names))
    assert ":root" not in one_style()


class Heard(Studio):
    def __init__(self, given):
        super().__init__(given)
        self.sent = []

    def send(self, content, buffers=None):
        self.sent.append((content, buffers))

    def ask(self, question, buffers=(), **data):
        self._asked(self, {"id": 7, "question": question, "data": data}, list(buffers))
        return self.sent.pop()


def test_messages_are_answered_as_on_the_page(fitted):
    studio = Heard(OUTPUTS)
    content, _ = studio.ask("judge", rule="vote")
    assert content["id"] == 7
    assert content["answer"] == studio.session.answer("judge", {"rule": "vote"})
    assert "rule='magic'" in studio.ask("judge", rule="magic")[0]["error"]
    assert studio.ask("download", what="model", data={})[0]["error"].startswith("There is no model")
    assert studio.ask("events", **{"from": 0})[0]["answer"] == {"events": []}
    dropped, _ = studio.ask("drop", [b"class,a,b\nx,x,y\ny,y,y\n"], name="said.csv")
    assert dropped["answer"]["ensemble"]
    _, (content,) = Heard(fitted).ask("download", what="model", data={})
    assert content[:2] == b"PK"


def test_it_runs_in_a_page_that_is_not_its_own(browser, tmp_path):
    # Stands in for a notebook: messages go to answers that Python gave before.
    import json

    studio = Heard(OUTPUTS)
    answers = {
        question: studio.session.answer(question, data)
        for question, data in (
            ("state", {}), ("members", {}), ("judge", {"rule": "vote"}),
            ("brush", {"members": [0, 1, 2]}),
        )
    }  # fmt: skip
    page = tmp_path / "cell.html"
    page.write_text(
        f"<!doctype html><style>{one_style()}</style><div id=cell></div><script>"
        + one_module().replace("export default { render };", "")
        + f"const answers = {json.dumps(answers)}; let heard; const model = {{"
        "on: (_, f) => { heard = f; }, off() {}, send: (m) => setTimeout(() =>"
        " heard({ id: m.id, answer: answers[m.question] }, []), 0) };"
        "render({ model, el: document.getElementById('cell') });</script>",
        encoding="utf-8",
    )
    shown = browser.page(page.as_uri())
    shown.wait("document.querySelector('#scores')?.dataset.error === '0'")
    assert shown.run("document.querySelectorAll('#members tbody tr').length") == 3
    assert shown.complaints() == []
    shown.close()
