"""What every page shares: the policy in its head, and text that is shown and never obeyed."""

import base64
import hashlib
import re

import pytest

from counterpoint.report.render import environment, render

SHARED = {"page.html.j2", "parts.html.j2", "columns.html.j2", "tree_list.html.j2"}
PAGES = sorted(set(environment().list_templates(["j2"])) - SHARED)


def source(name):
    return environment().loader.get_source(environment(), name)[0]


def whole_source(name):
    """Return a template after the ones it extends, but for the page that is around all."""
    text = source(name)
    (parent,) = re.match(r'{% extends "(.+?)" %}\n', text).groups()
    return text if parent == "page.html.j2" else whole_source(parent) + text


def digest(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_the_one_head_and_nothing_its_policy_forbids(name):
    text = whole_source(name)
    assert "<style" not in text
    assert re.findall(r"<script(?! type=.application/json)", text) == []
    assert not re.search(r"<[^>]+ on[a-z]+=", text)
    assert ("style=" in text) == ("{% set style_attributes = true %}" in text)


def test_shared_pieces_bring_no_code():
    text = source("parts.html.j2")
    assert "<style" not in text
    assert "<script" not in text
    assert not re.search(r"<[^>]+ (on[a-z]+|style)=", text)


def test_the_policy_names_what_stands_in_the_page():
    page = render("page.html.j2")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    (sheet,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert policy == (
        f"default-src 'none'; img-src data:; style-src 'sha256-{digest(sheet)}'; "
        "script-src 'none'; base-uri 'none'; form-action 'none'"
    )
    assert page.index("Content-Security-Policy") < page.index("<style>")


def test_hidden_characters_are_shown():
    made = environment().from_string("{{ name }}|{{ name | safe }}|{{ [name] | tojson }}|{{ 1 }}")
    assert made.render(name="<a\u202eb\x1b>") == (
        '&lt;a⟨U+202E⟩b⟨U+001B⟩&gt;|<a\u202eb\x1b>|["\\u003ca\\u202eb\\u001b\\u003e"]|1'
    )


def test_what_is_to_be_typed_stays_in_one_piece():
    shown = environment().from_string("{{ text | unbroken }}")
    page = shown.render(text="<5 % wrong\x07: write --time-limit 60")
    assert '<span class="typed">--time-limit</span> 60' in page
    assert page.startswith("&lt;5\N{NO-BREAK SPACE}% wrong")
    assert "\x07" not in page
