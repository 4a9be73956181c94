// What differs between members that tell classes apart and members that estimate numbers: how an
// error is written, what agreeing means, what is told of a row. The views ask here, and are one.
import { h, s, classColour, count, figure, many, short } from "./dom.js";
import { number, percent } from "./shared.js";
import { calibrationChart, histogram, intervalRows, padded, scale, spreadBar, splitBar, ticks, waterfall, written } from "./charts.js";

// Words and writing, also for members that are being tried.
const CLASSES = {
  numbers: false, error: (v) => percent(v), percent: true, word: "Error", axis: "error, %", pairAxis: "mean error, %",
  errs: "errs on", err: "err on", on: "on", loss: "Log-loss",
  alike: "kappa", alikeWord: "Agreement", alikeAxis: "agreement of the pair (kappa)",
  alikeNote: "Orange pairs agree beyond chance, blue ones less than chance.",
};
const NUMBERS = {
  numbers: true, error: figure, percent: false, word: "RMSE", axis: "RMSE", pairAxis: "mean RMSE",
  errs: "is off by", err: "are off by", on: "by", loss: "Squared error",
  alike: "correlation of errors", alikeWord: "Correlation", alikeAxis: "correlation of the pair's errors",
  alikeNote: "Orange pairs err the same way, blue ones opposite ways.",
};
export const words = (numbers) => numbers ? NUMBERS : CLASSES;

const NETWORKS = ["Networks, alone or as one", "strength", { name: "strength", start: "Train along the strength",
  what: "Negative correlation learning: 0 is networks trained alone, 1 is networks trained as one." }];

const sums = (told, write) => told.decompositions.map((one) => h("div", {}, h("h3", {}, one.loss), waterfall(one.terms, write),
  h("p", { class: "note" }, one.identity + ". " + one.source + ".")));

const STACKED = [0, -1, 1, -2, 2];  // from the middle of a lane outwards

// Dots in lanes: who says the same stands in columns, beside each other.
function dots(label, lanes, sx, bottom) {
  const lane = 34, width = 480;
  const svg = s("svg", { class: "chart lanes", viewBox: `0 0 ${width} ${lanes.length * lane + 24}`, role: "img", "aria-label": label });
  lanes.forEach((one, at) => {
    const y = at * lane + lane / 2, stacks = new Map();
    svg.append(s("line", { class: "grid", x1: sx.start, x2: width - 8, y1: y, y2: y }));
    if (one.name) svg.append(s("text", { x: sx.start - 8, y: y + 4, "text-anchor": "end", class: one.strong ? "strong" : "" }, one.name));
    for (const dot of one.dots) {
      const place = Math.round(sx(dot.at) / 5), order = stacks.get(place) || 0;
      stacks.set(place, order + 1);
      svg.append(s("circle", { cx: sx(dot.at) - 5 * Math.floor(order / 5), cy: y + 6 * STACKED[order % 5], r: 2.7, fill: one.colour, "fill-opacity": 0.75 }, s("title", {}, dot.title)));
    }
  });
  for (const [v, text] of bottom) svg.append(s("text", { x: sx(v), y: lanes.length * lane + 16, "text-anchor": "middle" }, text));
  return svg;
}
function laneScale(low, high, start) {
  return Object.assign(scale(low, high, start + 4, 458), { start });
}

function classKind(m) {
  return {
    ...CLASSES,
    about: `${m.classes.length} classes`,
    together: (who) => `A vote of ${who} errs on `,
    chosen: "their vote errs on",
    tiles(told, against, first) {
      const low = told.classes.filter((c) => c.recall !== null).sort((a, b) => a.recall - b.recall)[0];
      return [
        ["Log-loss", number(told.log_loss), ...against(told.log_loss, first.log_loss, (v) => number(v))],
        ["Probabilities off by", told.calibration ? percent(told.calibration.gap) : "\u2013", "on average"],
        ["Least recall", low ? percent(low.recall) : "\u2013", low ? "of " + low.label : ""],
      ];
    },
    panels: [
      ["Recall of each class", (told) => intervalRows(told.classes.map((c, k) => ({ name: `${c.label} (${count(c.rows)})`, value: c.recall, low: c.low, high: c.high, mark: classColour(k) })))],
      ["Do probabilities hold?", (told) => calibrationChart(told.calibration)],
      ["Where the error goes", (told) => sums(told, percent)],
    ],
    truth: (k) => [h("i", { class: "chip k" + (k % 8) }), m.classes[k]],
    bars: () => (row) => splitBar(row.split, m.classes),
    barNote: "bars show how the members vote.",
    // Members in a lane for each class: to the right who is sure.
    said(told) {
      const votes = m.classes.map((_, k) => told.votes.map((v, i) => [v, i]).filter(([v]) => v === k).map(([, i]) => i));
      const shown = m.classes.map((_, k) => k).filter((k) => votes[k].length || k === told.truth);
      return dots(shown.map((k) => many(votes[k].length, "member") + " say " + m.classes[k]).join(", "),
        shown.map((k) => ({ name: short(m.classes[k], 15) + " " + votes[k].length, strong: k === told.truth, colour: classColour(k),
          dots: votes[k].map((i) => { const sure = told.proba ? told.proba[i][k] : 1; return { at: sure, title: m.names[i] + (told.proba ? ": " + percent(sure, 0) + " sure" : "") }; }) })),
        laneScale(0, 1, 130), told.proba ? [0, 0.5, 1].map((v) => [v, percent(v, 0)]) : []);
    },
    leaf: (node) => ({ colour: classColour(node.class), share: node.share, sure: `, ${percent(node.share, 0)} sure`, why: `${percent(node.share)} of the rows it was made from, ` }),
    treeErrs: "wrong on", errorShare: (v) => v,
    sizesNote: "Blue: the share of held-out rows on which it says what the ensemble says. Orange: the share it has wrong.",
    fidelity: (r) => `${r.n_leaves} leaves: says what the ensemble says on ${percent(r.fidelity)}`,
    threshold: m.classes.length === 2,
    paths: [
      ["Boosting that rewards disagreeing", "lam", { name: "lambda", start: "Train along lambda",
        what: "AdaBoost.NC on the same training rows, from plain AdaBoost (0) on: the more the penalty, the farther members go apart." }],
      NETWORKS,
    ],
    epochs: ["mean output", "Mean output of each network for the last class, epoch by epoch", "What each network says on average of the last class, over its rows: drawn together, or kept apart."],
  };
}

function numberKind(m) {
  return {
    ...NUMBERS,
    about: `numbers from ${figure(m.range[0])} to ${figure(m.range[1])}`,
    together: (who) => `The mean of ${who} is off by `,
    chosen: "their mean is off by",
    tiles: (told, against, first) => [
      ["Mean absolute error", figure(told.mae), ...against(told.mae, first.mae, figure)],
      ["Variance explained", told.r2 === null ? "\u2013" : percent(told.r2), told.r2 === null ? "the truth does not vary" : `R\u00b2, ${percent(told.r2_low)} to ${percent(told.r2_high)}`],
      [told.bias < 0 ? "Too low by" : "Too high by", figure(Math.abs(told.bias)), `on average; too high on ${percent(told.residuals.too_high, 0)} of the rows`],
    ],
    panels: [
      ["How far off", (told) => intervalRows([
        { name: "root of mean square", value: told.error, low: told.low, high: told.high },
        { name: "mean size", value: told.mae, low: told.mae_low, high: told.mae_high }], Math.max(told.high, told.mae_high, 1e-300), figure)],
      ["Too low, too high", (told) => histogram(told.residuals)],
      ["Where the error goes", (told) => told.decompositions.length ? sums(told, figure)
        : h("p", { class: "note" }, "Only of a mean of the members is it known what their disagreeing takes away.")],
    ],
    truth: (v) => [figure(v)],
    // All rows on one scale, so that they can be held against each other.
    bars(rows) {
      const [low, high] = padded(rows.flatMap((row) => [row.split[0], row.split.at(-1), row.truth]));
      return (row) => spreadBar(row, scale(low, high, 0, 100), figure);
    },
    barNote: "bars show what the members say, lines what is true.",
    said(told) {
      const mean = told.said.reduce((a, b) => a + b, 0) / told.said.length;
      const [low, high] = padded([...told.said, told.truth]), sx = laneScale(low, high, 16), at = ticks(low, high, 6);
      const svg = dots(`${many(told.said.length, "member")} say ${figure(Math.min(...told.said))} to ${figure(Math.max(...told.said))}, ${figure(mean)} on average; the truth is ${figure(told.truth)}`,
        [{ name: "", colour: "var(--accent)", dots: told.said.map((v, i) => ({ at: v, title: m.names[i] + ": " + figure(v) })) }], sx,
        at.values.map((v) => [v, written(v, at.digits)]));
      svg.append(s("line", { class: "truth", x1: sx(told.truth), x2: sx(told.truth), y1: 2, y2: 32 }, s("title", {}, "the truth: " + figure(told.truth))));
      return h("div", {}, svg, h("p", { class: "note" }, `The line is the truth; the members say ${figure(mean)} on average.`));
    },
    leaf(node) {
      const share = (Number(node.label) - m.range[0]) / (m.range[1] - m.range[0] || 1);
      return { colour: "var(--accent)", share: Math.max(0.02, Math.min(1, share)), sure: "", why: "" };
    },
    treeErrs: "off by", errorShare: (v) => v / (m.spread || 1),
    sizesNote: "Blue: the share of the variance of the ensemble's answers that it gives back. Orange: its RMSE, as a share of the standard deviation of what is true.",
    fidelity: (r) => `${r.n_leaves} leaves: gives back ${percent(r.fidelity)} of the variance of what the ensemble says`,
    threshold: false,
    paths: [
      ["Boosters grown together", "boosters", { name: "strength of boosters", start: "Train along the strength",
        what: "Negative correlation learning with boosted trees: 0 is boosters grown alone, 1 is boosters grown as one." }],
      NETWORKS,
    ],
    epochs: ["distance from the mean", "Mean distance of each network from their mean, epoch by epoch", "How far each network is from the mean of all, on average over the rows: drawn together, or kept apart."],
  };
}

export const kindOf = (members) => members.numbers ? numberKind(members) : classKind(members);
