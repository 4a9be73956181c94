"""Where things stand on a page: data to the numbers of a chart, for a template to write down.

Charts are drawn 480 wide and scale with the page. Positions along a bar are in percent.
"""

import base64
import math
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

WIDTH, HEIGHT = 480, 310
_LEFT, _RIGHT, _TOP = 50, 14, 14
FLOOR = HEIGHT - 46
# For the title of an axis and the gaps beside it, and for a digit, as large as on a narrow page.
_BESIDE, _LETTER = 27, 9
# More digits behind the point than that are nothing to read.
_MOST_DIGITS = 9
_ALIKE, _APART, _UNKNOWN = (213, 94, 0), (0, 114, 178), (128, 128, 128)


class Axis:
    """A linear scale from data to the page, with round numbers to write along it."""

    def __init__(self, low: float, high: float, start: float, end: float, *, most: int = 6):
        high = high if high - low > 1e-300 else low  # too near each other for a step between them
        step = _round_step((high - low) / most if high > low else 1.0)
        self.low, self.high = low, high if high > low else low + step
        self.start, self.end = start, end
        first = int(np.ceil(self.low / step - 1e-9))
        last = int(np.floor(self.high / step + 1e-9))
        self._values = [k * step for k in range(first, last + 1)]
        self._digits = max(0, -int(np.floor(np.log10(step) + 1e-9)))

    def __call__(self, values: ArrayLike) -> NDArray:
        """Return where values stand on the page."""
        share = (np.asarray(values, dtype=float) - self.low) / (self.high - self.low)
        return np.round(self.start + share * (self.end - self.start), 1)

    def ticks(self, *, percent: bool = False) -> list[dict[str, Any]]:
        """Return the round numbers along it: "at" and "text"."""
        digits = max(0, self._digits - 2) if percent else self._digits
        return [
            {"at": float(self(value)), "text": _written(value, digits, percent)}
            for value in self._values
        ]


def along(low: float, high: float, at: float, *, far: float) -> dict[str, float]:
    """Place an interval and a point in it along a bar from 0 to ``far``, in percent of it."""
    return {
        "start": round(100 * low / far, 2),
        "length": round(100 * (high - low) / far, 2),
        "at": round(100 * at / far, 2),
    }


def _round_step(rough: float) -> float:
    size = 10.0 ** np.floor(np.log10(rough))
    return float(next(k * size for k in (1, 2, 5, 10) if k * size >= rough * (1 - 1e-9)))


def _written(value: float, digits: int, percent: bool) -> str:
    number = 100 * value if percent else value
    if digits > _MOST_DIGITS and number:
        digits += math.floor(math.log10(abs(number)))  # as many of the number's own
        return f"{number:.{max(digits, 0)}e}".replace("-", "\N{MINUS SIGN}")
    text = f"{number:.{digits}f}"
    return ("0" if float(text) == 0 else text).replace("-", "\N{MINUS SIGN}")


def padded(values: ArrayLike, *, floor: float | None = None) -> tuple[float, float]:
    """Return the ends of an axis with room beside the values, not below the floor."""
    low, high = float(np.min(values)), float(np.max(values))
    room = 0.06 * (high - low) or 0.05 * (abs(high) or 1.0)
    low, high = low - room, high + room
    return (max(low, floor), high) if floor is not None else (low, high)


def frame(x: Axis, y: Axis, *, percent: bool = True, **more: Any) -> dict[str, Any]:
    """Return the frame of a chart with its ticks; heights are shares unless ``percent`` is off."""
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "left": x.start,
        "right": x.end,
        "top": _TOP,
        "bottom": FLOOR,
        "x_ticks": x.ticks(),
        "y_ticks": y.ticks(percent=percent),
        **more,
    }


def axes(
    x: tuple[float, float], y: tuple[float, float], *, percent: bool = True
) -> tuple[Axis, Axis]:
    """Return the two axes of a chart from their ends; the numbers along them fit."""
    heights = Axis(*y, FLOOR, _TOP, most=5)
    longest = max((len(tick["text"]) for tick in heights.ticks(percent=percent)), default=0)
    left = min(max(_LEFT, _BESIDE + _LETTER * longest), WIDTH // 3)
    return _below(*x, left), heights


def _below(low: float, high: float, left: float) -> Axis:
    """Return the axis below a chart: its numbers keep apart, and the last one is not cut off."""
    right = WIDTH - _RIGHT
    for most in range(6, 0, -1):
        axis = Axis(low, high, left, right, most=most)
        ticks = axis.ticks()
        widths = [_LETTER * len(tick["text"]) for tick in ticks]
        apart = ticks[1]["at"] - ticks[0]["at"] if len(ticks) > 1 else np.inf
        if max(widths, default=0) + _LETTER <= apart:
            break
    over = max((t["at"] + w / 2 - WIDTH for t, w in zip(ticks, widths, strict=True)), default=0)
    shorter = min(over, (right - left) / 3)
    return axis if over <= 0 else Axis(low, high, left, right - shorter, most=most)


def cloud_chart(cloud: dict[str, Any], vote_error: float | None) -> dict[str, Any] | None:
    """Place the pairs of members by kappa and mean error; None if no pair has a kappa."""
    if not cloud["kappas"]:
        return None
    errors = [*cloud["errors"], *([] if vote_error is None else [vote_error])]
    x, y = axes(padded(cloud["kappas"]), padded(errors, floor=0.0))
    n = len(cloud["kappas"])
    mean = {"x": float(x(cloud["kappa"])), "y": float(y(cloud["error"]))}
    return frame(
        x,
        y,
        points=list(zip(x(cloud["kappas"]).tolist(), y(cloud["errors"]).tolist(), strict=True)),
        # Small and pale when there are many, so that the density shows.
        radius=round(float(np.clip(60 / np.sqrt(n), 1.8, 5.0)), 1),
        opacity=round(float(np.clip(30 / np.sqrt(n), 0.35, 0.85)), 2),
        mean=mean,
        vote=None if vote_error is None else float(y(vote_error)),
    )


def growth_chart(growth: dict[str, Any]) -> dict[str, Any]:
    """Draw the error of the first members, its limits, and the members' own mean error."""
    errors = np.asarray(growth["error"], dtype=float)
    seen = [*errors, *growth["member_error"], *growth["low"][-1:], *growth["high"][-1:]]
    x, y = axes((1, len(errors)), padded(seen, floor=0.0))
    at = x(np.arange(1, len(errors) + 1))
    # The limits of the first few may lie far out: the picture is about the errors.
    low, high = (np.clip(growth[name], y.low, y.high) for name in ("low", "high"))
    band = [*zip(at, y(high), strict=True), *zip(at[::-1], y(low)[::-1], strict=True)]
    return frame(
        x,
        y,
        line=path_of(zip(at, y(errors), strict=True)),
        members=path_of(zip(at, y(growth["member_error"]), strict=True)),
        band=path_of(band) + "Z",
        at=at.tolist(),
        heights=y(errors).tolist(),
    )


def margin_chart(margins: dict[str, Any]) -> dict[str, Any]:
    """Draw how many rows have which margin; those below zero are lost."""
    counts, edges = np.asarray(margins["counts"]), np.asarray(margins["edges"])
    share = counts / counts.sum()
    x, y = axes((-1.0, 1.0), (0.0, float(share.max()) * 1.05))
    left, right = x(edges[:-1]), x(edges[1:])
    return frame(
        x,
        y,
        bars=[
            {
                "x": float(a) + 0.7,
                "width": round(float(b - a) - 1.4, 1),
                "y": float(y(s)),
                "height": round(FLOOR - float(y(s)), 1),
                "lost": bool(edge < -1e-9),
            }
            for a, b, s, edge in zip(left, right, share, edges[:-1], strict=True)
            if s > 0
        ],
        zero=float(x(0.0)),
    )


def path_of(points: Any) -> str:
    """Return points as a path."""
    return "M" + "L".join(f"{x:g},{y:g}" for x, y in points)


def interval_rows(
    rows: list[dict[str, Any]], *, name: str = "error", percent: bool = True
) -> dict[str, Any]:
    """Place errors, by their name, and their limits along one scale from zero."""
    far = max(row["high"] for row in rows)
    axis = Axis(0.0, far * 1.02, 0.0, 100.0, most=5)
    return {
        "ticks": axis.ticks(percent=percent),
        "rows": [
            {
                **row,
                "at": float(axis(row[name])),
                "start": float(axis(row["low"])),
                "length": round(float(axis(row["high"]) - axis(row["low"])), 1),
                "is_model": k == 0,
            }
            for k, row in enumerate(rows)
        ],
    }


def bars(terms: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Place the terms of a sum: totals from zero, the others from where the sum stands."""
    stand, spans = 0.0, []
    for term in terms:
        start = 0.0 if term["total"] else stand
        stand = term["value"] if term["total"] else stand + term["value"]
        spans.append((min(start, stand), max(start, stand)))
    far = max(max(high for _, high in spans), 1e-12)
    return [
        {
            **term,
            "start": round(100 * max(low, 0.0) / far, 2),
            "length": round(100 * (high - max(low, 0.0)) / far, 2),
            "kind": "total" if term["total"] else "less" if term["value"] < 0 else "more",
        }
        for term, (low, high) in zip(terms, spans, strict=True)
    ]


def tree_lines(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """List a tree line by line, each line under its question; leaves have a label."""
    lines: list[dict[str, Any]] = []
    waiting = [(0, 0, "")]
    while waiting:
        k, depth, answer = waiting.pop()
        node = nodes[k]
        lines.append({**node, "depth": depth, "answer": answer, "leaf": node["yes"] is None})
        if node["yes"] is not None:
            waiting += [(node["no"], depth + 1, "no"), (node["yes"], depth + 1, "yes")]
    return lines


def profit_curve(curve: dict[str, Any]) -> dict[str, Any]:
    """Place what acting brings against how many are called, and the number chosen."""
    called = np.asarray(curve["called"], dtype=float)
    profit = np.asarray(curve["profit"], dtype=float)
    x, y = axes((0.0, float(called.max())), padded([*profit, 0.0]))
    chart = frame(x, y)
    chart["y_ticks"] = y.ticks()
    chart["line"] = "M" + "L".join(f"{a} {b}" for a, b in zip(x(called), y(profit), strict=True))
    chart["zero"] = float(y(0.0))
    chosen = curve["chosen"]
    chart["chosen"] = None
    if chosen:
        at = float(np.interp(chosen, called, profit))
        chart["chosen"] = {"x": float(x(chosen)), "y": float(y(at))}
    return chart


def matrix_image(values: Any) -> dict[str, Any]:
    """Paint a matrix, a dot a pair: alike is orange, apart is blue, undefined is grey.

    The paint is the thinner the nearer to zero, so that it can lie on light and on dark. Returns
    "source", a ``data:`` address, and "far", the value of the strongest colour.
    """
    table = np.array(values, dtype=float)  # None becomes NaN
    pairs = table[~np.eye(len(table), dtype=bool)]
    pairs = pairs[~np.isnan(pairs)]
    far = float(np.abs(pairs).max()) if len(pairs) else 0.0
    far = far or 1.0
    # Squared, as in the key beside it: members of one ensemble tend to be much alike, and it is
    # the differences that one looks for.
    strength = np.clip(np.abs(np.nan_to_num(table)) / far, 0.0, 1.0) ** 2
    pixels = np.empty((*table.shape, 4), dtype=np.uint8)
    pixels[..., :3] = np.where((table < 0)[..., None], _APART, _ALIKE)
    pixels[..., 3] = np.round(255 * strength)
    pixels[np.isnan(table)] = (*_UNKNOWN, 90)
    address = base64.b64encode(_png_bytes(pixels)).decode("ascii")
    return {"source": f"data:image/png;base64,{address}", "far": far}


def _png_bytes(pixels: NDArray) -> bytes:
    height, width, _ = pixels.shape
    # Each line begins with the number of its filter: none.
    lines = np.concatenate(
        [np.zeros((height, 1), dtype=np.uint8), pixels.reshape(height, width * 4)], axis=1
    )

    def chunk(kind: bytes, body: bytes) -> bytes:
        check = zlib.crc32(kind + body)
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(lines.tobytes(), 9))
        + chunk(b"IEND", b"")
    )
