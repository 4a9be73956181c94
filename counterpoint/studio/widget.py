"""The studio as a widget of a notebook: the same page, asked through the kernel."""

import re
from typing import Any

from counterpoint.studio.downloads import DOWNLOADS
from counterpoint.studio.server import page_file
from counterpoint.studio.session import Session

try:
    from anywidget import AnyWidget
except ImportError as error:
    raise ImportError(
        "The studio in a notebook needs anywidget: pip install 'counterpoint[widget]'."
    ) from error

MODULES = (
    "shared", "dom", "charts", "kinds", "cloud", "matrix", "rows", "ensemble", "sliders", "tree",
    "table", "paint", "studio", "widget",
)  # fmt: skip
"""The modules of the page in an order in which each finds those it needs."""
_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (\{[^}]*\};\n)?", re.MULTILINE)


def one_module() -> str:
    """Return all modules as one, as a notebook takes them: imports between them fall away."""
    texts = [(page_file(f"{name}.js") or b"").decode("utf-8") for name in MODULES]
    bodies = [_EXPORT.sub("", _IMPORT.sub("", text)) for text in texts]
    return "\n".join([*bodies, "export default { render };\n"])


def one_style() -> str:
    """Return palette and style; colours belong to the widget, not to the notebook."""
    palette = (page_file("palette.css") or b"").decode("utf-8").replace(":root", ".studio")
    sheets = [(page_file(f"{name}.css") or b"").decode("utf-8") for name in ("marks", "studio")]
    return palette + "".join(sheets)


class Studio(AnyWidget):
    """The studio in a cell of a notebook.

    Parameters
    ----------
    given : MemberOutputs, MemberPredictions, TableModel, path or None, default=None
        As for :class:`~counterpoint.studio.Session`.
    truth, target, data
        As there.

    Examples
    --------
    In a notebook the last line of a cell shows it:

    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.studio import Studio
    >>> studio = Studio(MemberOutputs([[0, 1, 1], [0, 0, 1], [1, 1, 0]], [0, 1, 1]))
    >>> studio.session.answer("judge", {"rule": "vote"})["error"]
    0.0
    """

    _esm = one_module()
    _css = one_style()

    def __init__(self, given: Any = None, **options: Any) -> None:
        super().__init__()
        self.session = Session(given, **options)
        self.on_msg(self._asked)

    def _asked(self, _: Any, content: dict[str, Any], buffers: list[Any]) -> None:
        reply: dict[str, Any] = {"id": content.get("id")}
        parts: list[bytes] = []
        try:
            reply["answer"], parts = self._answer(content["question"], content["data"], buffers)
        except Exception as error:  # it belongs on the page: nobody reads the kernel's log
            reply["error"] = str(error) or type(error).__name__
        self.send(reply, buffers=parts)

    def _answer(
        self, question: str, data: dict[str, Any], buffers: list[Any]
    ) -> tuple[dict[str, Any], list[bytes]]:
        if question == "drop":
            return self.session.drop(str(data["name"]), bytes(buffers[0])), []
        if question == "download":
            make, _ = DOWNLOADS[data["what"]]
            return {}, [make(self.session, data["data"])]
        if question == "events":
            job = self.session.job
            return {"events": [] if job is None else job.events[int(data["from"]) :]}, []
        return self.session.answer(question, data), []
