"""Characters that cannot be seen are shown, wherever people look."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint._text import escape_hidden, visible
from counterpoint.tabular.plain import to_json

ACTING = [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C, 0x1B, 0x9B, 0x0D]


@pytest.mark.parametrize("code", ACTING)
def test_shown_and_not_obeyed(code):
    assert visible(f"a{chr(code)}b") == f"a⟨U+{code:04X}⟩b"


@pytest.mark.parametrize("text", ["naïve", "a\tb\nc", "می\u200cشود", "👩\u200d🔬", "=x", "עברית"])
def test_what_is_written_stays(text):
    assert visible(text) == text


@given(st.text())
def test_no_control_and_no_turn_is_left(text):
    left = {c for c in visible(text) if unicodedata.category(c) in ("Cc", "Cs")}
    assert left <= {"\t", "\n"}
    assert not {chr(code) for code in ACTING} & set(visible(text))
    assert visible(visible(text)) == visible(text)


@given(st.text(st.characters(codec=None)))
def test_json_shows_them_and_reads_back_the_same(text):
    written = to_json({"name": text})
    assert visible(written) == written == escape_hidden(written)
    assert json.loads(written) == {"name": text}
