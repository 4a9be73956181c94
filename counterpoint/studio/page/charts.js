// Charts drawn from plain numbers, in the colours of the report.
import { h, s, many } from "./dom.js";
import { number, percent } from "./shared.js";

export function ticks(low, high, most = 5) {
  const rough = (high - low) / most || 1;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * size).find((k) => k >= rough * (1 - 1e-9));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
  return { values: found, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

// A number beside an axis: as a share in percent, or with so many digits; large ones in short.
export function written(value, digits, share = false) {
  const text = share ? (100 * value).toFixed(Math.max(0, digits - 2))
    : digits > 6 || Math.abs(value) >= 1e6 ? String(Number(value.toPrecision(3))) : value.toFixed(digits);
  return text.replaceAll("-", "\u2212");
}

export function scale(low, high, start, end) {
  const span = high - low || 1;
  const at = (value) => start + ((value - low) / span) * (end - start);
  at.back = (place) => low + ((place - start) / (end - start)) * span;
  at.low = low; at.high = high;
  return at;
}

export function padded(values, floor = -Infinity) {
  let low = Infinity, high = -Infinity;
  for (const v of values) { if (v === null) continue; if (v < low) low = v; if (v > high) high = v; }
  if (low > high) return [0, 1];
  const room = 0.06 * (high - low) || 0.05 * (Math.abs(high) || 1);
  return [Math.max(low - room, floor), high + room];
}

const SIZE = { width: 480, height: 280, left: 52, right: 14, top: 12, bottom: 42 };

// A frame with its axes: returns the svg, a group to draw in, and both scales.
export function frame({ x, y, xLabel, yLabel, label, height = SIZE.height, yPercent = true, xPercent = false, xTicks = null }) {
  const { width, left, right, top, bottom } = SIZE;
  const sx = scale(...x, left, width - right), sy = scale(...y, height - bottom, top);
  const svg = s("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  const tx = ticks(...x, 6), ty = ticks(...y, 5);
  for (const v of ty.values) {
    svg.append(s("line", { class: "grid", x1: left, x2: width - right, y1: sy(v), y2: sy(v) }),
      s("text", { x: left - 7, y: sy(v) + 4, "text-anchor": "end" }, written(v, ty.digits, yPercent)));
  }
  const along = xTicks || tx.values.map((v) => [v, written(v, tx.digits, xPercent)]);
  for (const [v, text] of along) svg.append(s("text", { x: sx(v), y: height - bottom + 17, "text-anchor": "middle" }, text));
  svg.append(s("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
    s("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, xLabel),
    s("text", { x: 13, y: (top + height - bottom) / 2, "text-anchor": "middle",
      transform: `rotate(-90 13 ${(top + height - bottom) / 2})` }, yLabel));
  const body = s("g", {});
  svg.append(body);
  return { svg, body, sx, sy, bottom: height - bottom, top };
}

export const path = (points) => points.length
  ? "M" + points.map(([x, y]) => x.toFixed(1) + "," + y.toFixed(1)).join("L") : "";

// Values with their limits along a track from 0 to what is farthest.
export function intervalRows(rows, far = 1, write = percent) {
  return h("div", { class: "rows" }, rows.map((row) => h("div", { class: "row" },
    h("span", { class: "name" }, row.mark ? h("i", { class: "chip", style: { background: row.mark } }) : null, row.name),
    h("span", { class: "track" },
      row.value === null ? null : [
        h("i", { class: "model", style: { left: (100 * row.low) / far + "%", width: (100 * (row.high - row.low)) / far + "%" } }),
        h("b", { class: "model", style: { left: (100 * row.value) / far + "%" } })]),
    h("span", { class: "figure" }, write(row.value)))));
}

// A sum step by step: totals from zero, the others from where the sum stands.
export function waterfall(terms, write = percent) {
  let stand = 0;
  const spans = terms.map((term) => {
    const start = term.total ? 0 : stand;
    stand = term.total ? term.value : stand + term.value;
    return [Math.max(0, Math.min(start, stand)), Math.max(start, stand)];
  });
  const far = Math.max(1e-12, ...spans.map((span) => span[1]));
  return h("div", { class: "rows" }, terms.map((term, k) => h("div", { class: "row" },
    h("span", { class: "name" }, term.name),
    h("span", { class: "track" }, h("i", {
      class: term.total ? "total" : term.value < 0 ? "less" : "more",
      style: { left: (100 * spans[k][0]) / far + "%", width: (100 * (spans[k][1] - spans[k][0])) / far + "%" },
    })),
    h("span", { class: "figure" }, write(term.value)))));
}

export function calibrationChart(told) {
  if (!told) return h("p", { class: "note" }, "Too few rows to say whether probabilities hold.");
  const { svg, body, sx, sy } = frame({ x: [0, 1], y: [0, 1], height: 260, xPercent: true,
    xLabel: "said, %", yLabel: "came true, %",
    label: "What was said against what came true; the mean distance is " + percent(told.gap) });
  body.append(s("line", { class: "ideal", x1: sx(0), y1: sy(0), x2: sx(1), y2: sy(1) }));
  for (const p of told.curve) body.append(s("line", { class: "whisker", x1: sx(p.said), x2: sx(p.said), y1: sy(p.low), y2: sy(p.high) }));
  body.append(s("path", { class: "line", d: path(told.curve.map((p) => [sx(p.said), sy(p.came)])) }));
  for (const p of told.curve) body.append(s("circle", { class: "dot", cx: sx(p.said), cy: sy(p.came), r: 4 },
    s("title", {}, `said ${percent(p.said)}, came true ${percent(p.came)}, ${p.rows} rows`)));
  return svg;
}

export function splitBar(split, classes) {
  const text = split.map((v, k) => [v, k]).filter(([v]) => v > 0).sort((a, b) => b[0] - a[0])
    .map(([v, k]) => classes[k] + " " + percent(v, 0)).join(", ");
  return h("span", { class: "split", role: "img", "aria-label": text, title: text },
    split.map((v, k) => v > 0 ? h("i", { class: "k" + (k % 8), style: { width: 100 * v + "%" } }) : null));
}

// What members say of a row, on a scale in percent: from the least to the greatest, the middle half
// dark, and a line where the truth is.
export function spreadBar(row, sx, write) {
  const [least, low, , high, greatest] = row.split;
  const text = `${write(least)} to ${write(greatest)}, ${write(row.answer)} on average`;
  const span = (a, b) => ({ left: sx(a) + "%", width: Math.max(0.6, sx(b) - sx(a)) + "%" });
  return h("span", { class: "spread", role: "img", "aria-label": text, title: text },
    h("i", { style: span(least, greatest) }), h("i", { class: "middle", style: span(low, high) }), h("b", { style: { left: sx(row.truth) + "%" } }));
}

// How many rows are how far off.
export function histogram(told) {
  const { counts, edges } = told, total = counts.reduce((a, b) => a + b, 0), most = Math.max(...counts) / total;
  const { svg, body, sx, sy, bottom } = frame({ x: [edges[0], edges.at(-1)], y: [0, 1.05 * most], height: 260,
    xLabel: "answer less truth", yLabel: "of the rows, %", label: "How many rows are how far off; the outermost bars hold those beyond" });
  counts.forEach((n, k) => { if (n) body.append(s("rect", { class: "column", x: sx(edges[k]) + 0.7, y: sy(n / total), width: sx(edges[k + 1]) - sx(edges[k]) - 1.4, height: bottom - sy(n / total) },
    s("title", {}, many(n, "row"))));
  });
  body.append(s("line", { class: "ideal", x1: sx(0), x2: sx(0), y1: 12, y2: bottom }));
  return svg;
}

export function slider(label, values, start, moved, written = (v) => number(v, 2)) {
  const output = h("output", {});
  const input = h("input", { type: "range", min: 0, max: values.length - 1, step: 1, "aria-label": label });
  input.value = start;
  const tell = () => {
    output.textContent = written(values[Number(input.value)]);
    input.setAttribute("aria-valuetext", output.textContent);
  };
  input.addEventListener("input", () => { tell(); moved(Number(input.value)); });
  tell();
  return { element: h("label", { class: "slider" }, h("span", {}, label), input, output), input, tell };
}
