// Sliders with a stored path: computed once, then every place on it is there at once.
import { h, s, replace, latest, count, many } from "./dom.js";
import { percent, number } from "./shared.js";
import { frame, padded, path, slider } from "./charts.js";

const COLOURS = 8;

async function growthCard(app, place) {
  const told = await app.ask("growth");
  const n = told.error.length, xs = told.error.map((_, k) => k + 1);
  const kind = app.kind, seen = [...told.error, ...told.member_error, told.low[n - 1], told.high[n - 1]];
  const known = xs.filter((_, k) => told.error[k] !== null);  // those before may count for nothing
  const { svg, body, sx, sy, top, bottom } = frame({ x: [1, Math.max(n, 2)], y: padded(seen, 0), xLabel: "members", yLabel: kind.axis, yPercent: kind.percent,
    label: `${kind.word} of the first members together; all ${n} ${kind.err} ${kind.error(told.error[n - 1])}` });
  const clip = (v) => Math.max(top, Math.min(bottom, v));
  body.append(
    s("path", { class: "band", d: path([...known.map((v) => [sx(v), clip(sy(told.high[v - 1]))]), ...known.map((v) => [sx(v), clip(sy(told.low[v - 1]))]).reverse()]) + "Z" }),
    s("path", { class: "line quiet", d: path(xs.map((v, k) => [sx(v), sy(told.member_error[k])])) }),
    s("path", { class: "line", d: path(known.map((v) => [sx(v), sy(told.error[v - 1])])) }));
  const dot = s("circle", { class: "dot", r: 5 });
  body.append(dot);
  const said = h("p", { "aria-live": "polite", id: "growth-said" });
  const moved = (k) => {
    dot.setAttribute("cx", sx(k + 1)); dot.setAttribute("cy", sy(told.error[k] ?? told.member_error[k]));
    said.textContent = `The first ${many(k + 1, "member")} together ${kind.err} ${kind.error(told.error[k])} (${kind.error(told.low[k])} to ${kind.error(told.high[k])}), ` +
      `one of them ${kind.on} ${kind.error(told.member_error[k])} on average. From ${told.enough} on, more hardly help.`;
  };
  const { element } = slider("Members", xs, n - 1, moved, (v) => String(v));
  moved(n - 1);
  replace(place, svg, element, said);
}

function thresholdCard(app, place) {
  if (!app.kind.threshold) { replace(place, h("p", { class: "note" }, "A threshold is for two classes, and here are more.")); return; }
  const costs = { fn: 1, fp: 1 };
  const picture = h("div", {}), said = h("p", { "aria-live": "polite", id: "threshold-said" });
  let told = null, at = 50, line;
  const moved = (k) => {
    at = k;
    line.setAttribute("x1", line.sx(k / 100)); line.setAttribute("x2", line.sx(k / 100));
    said.textContent = `From ${percent(k / 100, 0)} on it says "${told.positive}": it finds ${percent(told.recall[k])} of them, ${told.precision[k] === null ? "says it of nobody" : percent(told.precision[k]) + " of those it names are"}; ` +
      `error ${percent(told.error[k])}, cost ${number(told.cost[k])} a row.` + (k === told.best ? " No threshold is cheaper on these rows." : ` Cheapest here: ${percent(told.best / 100, 0)}, ${number(told.cost[told.best])}.`);
  };
  const ask = latest(() => app.guard(async () => {
    told = await app.ask("thresholds", { rule: app.rule, weights: app.weights.length ? app.weights : null, ...costs });
    const { svg, body, sx, sy, top, bottom } = frame({ x: [0, 1], y: padded([...told.cost, 0], 0), yPercent: false, xPercent: true,
      xLabel: `probability of "${told.positive}" from which it is said, %`, yLabel: "cost a row", label: "Cost a row at every threshold" });
    body.append(s("path", { class: "line", d: path(told.threshold.map((v, k) => [sx(v), sy(told.cost[k])])) }),
      s("circle", { class: "dot", r: 5, cx: sx(told.best / 100), cy: sy(told.cost[told.best]) }));
    line = s("line", { class: "mark", y1: top, y2: bottom });
    line.sx = sx;
    body.append(line);
    replace(picture, svg);
    moved(at);
  }), "thresholds");
  const cost = (name, title) => h("label", { class: "cost" }, title, h("input", { type: "number", min: 0, step: "any", value: "1", id: "cost-" + name,
    oninput: (event) => { const v = Number(event.target.value); if (v >= 0 && event.target.value !== "") { costs[name] = v; ask(); } } }));
  const { element } = slider("Threshold", Array.from({ length: 101 }, (_, k) => k / 100), 50, (k) => moved(k), (v) => percent(v, 0));
  replace(place, h("div", { class: "tools" }, cost("fn", "To miss one costs "), cost("fp", "a false alarm costs ")), picture, element, said);
  ask();
}

// Clouds of pairs along a path, on axes that hold them all.
function pathCard(app, name, texts, place) {
  const start = h("button", { type: "button", id: "path-" + name }, texts.start);
  const progress = h("progress", { max: 6, value: "0", hidden: true, "aria-label": "trained so far" });
  replace(place, h("p", { class: "note" }, texts.what), h("div", { class: "tools" }, start, progress));
  if (!app.members.has_model) { start.disabled = true; place.append(h("p", { class: "note" }, "It needs rows to train on: open a model, or fit a table.")); return; }
  start.addEventListener("click", () => app.guard(async () => {
    start.disabled = true; progress.hidden = false;
    const answer = await app.ask("path", { kind: name });
    const told = answer.path || await new Promise((done, failed) => app.link.follow((event) => {
      if (event.event === "step") { progress.max = event.n_steps; progress.value = event.n_done; }
      else if (event.event === "done") done(event.path);
      else failed(new Error(event.error));
    }));
    draw(told.steps);
  }).finally(() => { start.disabled = false; progress.hidden = true; }));

  function draw(steps) {
    const kind = app.kind, x = padded(steps.flatMap((step) => step.pairs[0])), y = padded(steps.flatMap((step) => [...step.pairs[1], step.error]), 0);
    const picture = h("div", {}), outputs = h("div", {}), said = h("p", { "aria-live": "polite", id: name + "-said" });
    const moved = (k) => {
      const step = steps[k];
      const { svg, body, sx, sy } = frame({ x, y, xLabel: kind.alikeAxis, yLabel: kind.axis, yPercent: kind.percent, label: `Pairs at ${texts.name} ${step.value}` });
      step.pairs[0].forEach((alike, p) => { if (alike !== null) body.append(s("circle", { class: "pair", cx: sx(alike), cy: sy(step.pairs[1][p]), r: 2.6 })); });
      body.append(s("line", { class: "together", x1: sx(x[0]), x2: sx(x[1]), y1: sy(step.error), y2: sy(step.error) }));
      replace(picture, svg);
      said.textContent = `${texts.name} ${step.value}: together they ${kind.err} ${kind.error(step.error)} (${kind.error(step.low)} to ${kind.error(step.high)}), one member ${kind.on} ${kind.error(step.member_error)} on average, mean ${kind.alike} ${number(step.alike, 2)}.`;
      said.dataset.error = step.error;
      if (step.outputs) replace(outputs, epochs(step, kind.epochs));
    };
    const { element } = slider(texts.name, steps.map((step) => step.value), 0, moved, (v) => String(v));
    replace(place, h("p", { class: "note" }, texts.what), picture, element, said, outputs);
    moved(0);
  }
}

function epochs(step, [axis, label, note]) {
  const { svg, body, sx, sy } = frame({ x: [step.epochs[0], step.epochs.at(-1)], y: padded(step.outputs.flat()), yPercent: false, height: 220,
    xLabel: "epoch", yLabel: axis, label });
  step.outputs.forEach((line, k) => body.append(s("path", { class: "line thin", style: { stroke: `var(--c${k % COLOURS})` }, d: path(line.map((v, e) => [sx(step.epochs[e]), sy(v)])) })));
  return h("div", {}, svg, h("p", { class: "note" }, note));
}

export function sliderView(app, panel) {
  const cards = [
    ["How many members", (place) => app.guard(() => growthCard(app, place))],
    ...(app.kind.numbers ? [] : [["From which probability on", (place) => thresholdCard(app, place)]]),
    ...app.kind.paths.map(([title, name, texts]) => [title, (place) => pathCard(app, name, texts, place)]),
  ];
  replace(panel, h("div", { class: "two" }, cards.map(([title, fill]) => {
    const place = h("div", {}, h("p", { class: "note" }, "\u2026"));
    fill(place);
    return h("section", {}, h("h2", {}, title), place);
  })));
}
