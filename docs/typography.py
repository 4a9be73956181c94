"""How text of docstrings and pages looks on the site: formulas, names, references.

Docstrings are written for people who read them as they are, ``(f_i - d)^2 / 2``; here such a
formula gets its letters in italics, its indices and powers in their places, and Greek its letters.
Nothing is loaded: it is plain HTML.
"""

import re
from collections.abc import Callable
from html import unescape

GREEK = {
    *("alpha", "beta", "gamma", "delta", "epsilon", "eta", "kappa", "lambda", "mu", "pi", "rho"),
    *("sigma", "tau", "theta"),
}
_INDEXED = re.compile(r"\b([A-Za-z]|mean|sum)_([a-z0-9])\b")
_POWER = re.compile(r"\^(?:\{([^{}]+)\}|\(([^()]+)\)|(-?[A-Za-z0-9.]+\*?))")
# What a formula never has: quotes, attributes, brackets of items, names of several words.
_NO_FORMULA = re.compile(
    r"[\"'\[\]{}#@]|\w\.[A-Za-z_]|(?<!\w)(?!(?:sum|mean)_)\w{2,}_\w|_\w{2,}|\*\*|==|://|^\W*\w*\W*$"
)
_TOKEN = re.compile(
    r"(?P<power>\^(?:\{[^{}]+\}|\([^()]+\)|-?[A-Za-z0-9.]+\*?))|_(?P<index>[a-z0-9])\b"
    r"|(?P<sum>sum(?=_))|(?P<radic>sqrt(?=\())|(?P<ne>!=)|(?P<word>[A-Za-z]+)"
    r"|(?P<minus>(?<![\w^])-|(?<=[\w)] )-(?= ))|(?P<other>.)",
    re.S,
)
_PARTS = re.compile(
    r"(<pre\b.*?</pre>|<code\b.*?</code>|<script\b.*?</script>|<svg\b.*?</svg>|<[^>]+>)", re.S
)


def is_formula(code: str) -> bool:
    """Whether a piece of code is a formula: an index or a power, and nothing of Python's."""
    marked = _INDEXED.search(code) or _POWER.search(code)
    return bool(marked) and not _NO_FORMULA.search(code)


def set_formula(code: str) -> str:
    """Return the HTML of a formula whose text is HTML already."""
    made = []
    for token in _TOKEN.finditer(code):
        kind, text = token.lastgroup, token[0]
        if kind == "power":
            inside = text[1:]
            inside = inside[1:-1] if inside[0] in "({" else inside
            made.append(f"<sup>{set_formula(inside)}</sup>")
        elif kind == "index":
            made.append(f"<sub>{_letters(token['index'])}</sub>")
        elif kind in ("minus", "sum", "radic", "ne"):
            made.append(f"&{kind};")
        else:
            made.append(_letters(text) if kind == "word" else text)
    return "".join(made)


def _letters(word: str) -> str:
    word = {"lam": "lambda"}.get(word, word)
    if word in GREEK:
        return f"<i>&{word};</i>"
    return f"<i>{word}</i>" if len(word) == 1 and word.isalpha() else word


def set_indices(text: str) -> str:
    """Put indices and powers in the midst of sentences in their places."""

    def index(found):
        return f"{_letters(found[1])}<sub>{_letters(found[2])}</sub>"

    def power(found):
        return f"<sup>{_letters(found[1] or found[2] or found[3])}</sup>"

    return _POWER.sub(power, _INDEXED.sub(index, text))


def improve(html: str, link: Callable[[str], str | None] = lambda name: None) -> str:
    """Return the HTML of a page with formulas set, and with the marks of reStructuredText acted on.

    ``link`` returns where the name of something public is documented, if it is.
    """
    html = re.sub(
        r":(?:class|func|meth|mod|attr|exc|data):<code>~?([\w.]+)</code>",
        lambda found: _name(found[1], link),
        html,
    )
    html = re.sub(
        r"(<summary>See Also</summary>\s*)<p>(.*?)</p>",
        lambda found: found[1] + _see_also(found[2], link),
        html,
        flags=re.S,
    )
    html = re.sub(
        r"(<summary>References</summary>\s*)<p>(.*?)</p>",
        lambda found: found[1] + _references(found[2]),
        html,
        flags=re.S,
    )
    # Markdown takes what is between two references, [1]_ and [2]_, for words to be stressed.
    html = re.sub(r"(\[\d+\])<em>((?:(?!</?em>).)*\[\d+\])</em>", r"\1\2", html, flags=re.S)
    html = re.sub(r"\[(\d+)\]_(?!\w)", r"[\1]", html)
    # Types are read as code: array-like as a subtraction.
    html = re.sub(
        r"<td>\s*<code>(?:(?!</?td>).)*</code>\s*</td>",
        lambda found: found[0].replace(" - ", "-"),
        html,
        flags=re.S,
    )
    # Blocks of code stay as they are, unless all of a block is a formula; then sentences.
    parts = re.split(
        r"(<pre\b.*?</pre>|<code\b.*?</code>|<script\b.*?</script>|<[^>]+>)", html, flags=re.S
    )
    return "".join(_part(part) for part in parts)


def _part(part: str) -> str:
    if not part.startswith("<"):
        return set_indices(part)
    block = re.fullmatch(r"<(pre|code)\b[^>]*>(.*)</\1>", part, re.S)
    if block is None:
        return part
    inside = re.sub(r"<span></span>|<a [^>]*></a>|</?code>", "", block[2]).strip()
    if "<" in inside or not is_formula(unescape(inside)):
        return part
    made = set_formula(inside).replace("\n", "<br>")
    return f'<span class="formula{" block" if block[1] == "pre" else ""}">{made}</span>'


def _name(name: str, link) -> str:
    where, code = link(name), f"<code>{name}</code>"
    return f'<a href="{where}">{code}</a>' if where else code


def _see_also(text: str, link) -> str:
    rows = re.findall(r"^(\S[^:\n]*?) : (.*?)(?=\n\S[^\n]*? : |\Z)", text, re.S | re.M)
    rows = rows or [(name, "") for name in re.split(r"[,\s]+", text.strip())]
    items = [
        ", ".join(_name(name.strip(), link) for name in names.split(","))
        + (f": {what}" if what else "")
        for names, what in rows
    ]
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


def _references(text: str) -> str:
    first, *rest = re.split(r"(?:\A|\n)\s*\.\. \[(\d+)\] ", text)
    pairs = zip(rest[::2], rest[1::2], strict=True)
    lead = f"<p>{first}</p>" if first.strip() else ""
    return lead + "".join(f"<p>[{number}] {what.strip()}</p>" for number, what in pairs)
