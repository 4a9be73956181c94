"""Text that comes from data, shown as it is: characters that would act instead are named.

A name may hold an escape code that repaints the terminal, or a mark that turns the writing round,
so that what is read is not what is there. All that is printed, drawn or put on a page for people
goes through :func:`visible`; files for programs keep what the data have.
"""

import re
from typing import Any

# Control codes but tab and line feed; soft hyphen; marks, overrides and isolates of direction;
# separators and spaces without width; tags; halves of a pair. The two joiners (200C, 200D) stay:
# Persian, Hindi and many an emoji are not written without them.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def visible(value: Any) -> Any:
    r"""Return text, or all text within plain data, with hidden characters named.

    Examples
    --------
    >>> visible("ann\u202eexe")
    'ann⟨U+202E⟩exe'
    >>> visible({"names": ["\x1b[2J"], "n": 1})
    {'names': ['⟨U+001B⟩[2J'], 'n': 1}
    """
    if isinstance(value, str):
        return _HIDDEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", value)
    if isinstance(value, dict):
        return {visible(key): visible(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(visible(item) for item in value)
    return value


def escape_hidden(json_text: str) -> str:
    r"""Return JSON with hidden characters escaped: it shows them, and reads back the same.

    Examples
    --------
    >>> escape_hidden('"ann\u202eexe"')
    '"ann\\u202eexe"'
    """
    # An escape is of two bytes: a character beyond them has two.
    return _HIDDEN.sub(
        lambda found: re.sub(
            "....", r"\\u\g<0>", found[0].encode("utf-16-be", "surrogatepass").hex()
        ),
        json_text,
    )
