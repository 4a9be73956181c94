// Rows that members fight over, and one of them in full: who said what, how sure, and why.
import { h, s, replace, percent, number, classColour, many } from "./dom.js";
import { splitBar } from "./charts.js";

export function rowList(app, rows, chosen) {
  const classes = app.members.classes;
  if (!rows.length) return h("p", { class: "note" }, "They agree about every row.");
  return h("ol", { class: "fights" }, rows.map((row) => h("li", {},
    h("button", { type: "button", "data-row": row.row, onclick: (event) => {
      for (const other of event.currentTarget.closest("ol").querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
      event.currentTarget.setAttribute("aria-current", "true");
      chosen(row.row);
    } },
    h("span", { class: "n" }, "row " + (row.row + 1)), splitBar(row.split, classes),
    h("span", { class: "truth" }, h("i", { class: "chip k" + (row.truth % 8) }), classes[row.truth])))));
}

// Members as dots in a lane for each class: to the right who is sure.
function lanes(app, told) {
  const { classes, names } = app.members, lane = 34, width = 480;
  const votes = classes.map((_, k) => told.votes.map((v, m) => [v, m]).filter(([v]) => v === k).map(([, m]) => m));
  const shown = classes.map((_, k) => k).filter((k) => votes[k].length || k === told.truth);
  const svg = s("svg", { class: "chart lanes", viewBox: `0 0 ${width} ${shown.length * lane + 24}`, role: "img",
    "aria-label": shown.map((k) => many(votes[k].length, "member") + " say " + classes[k]).join(", ") });
  shown.forEach((k, at) => {
    const y = at * lane + lane / 2;
    svg.append(s("line", { class: "grid", x1: 130, x2: width - 8, y1: y, y2: y }),
      s("text", { x: 122, y: y + 4, "text-anchor": "end", class: k === told.truth ? "strong" : "" },
        (classes[k].length > 15 ? classes[k].slice(0, 14) + "\u2026" : classes[k]) + " " + votes[k].length));
    // Who is equally sure stands in columns, from the right to the left.
    const stacks = new Map();
    votes[k].forEach((m) => {
      const sure = told.proba ? told.proba[m][k] : 1;
      const bin = Math.round(60 * sure), order = stacks.get(bin) || 0;
      stacks.set(bin, order + 1);
      svg.append(s("circle", { cx: 134 + sure * (width - 156) - 5 * Math.floor(order / 5), cy: y + 6 * ((order % 5) - 2), r: 2.7, fill: classColour(k),
        "fill-opacity": 0.75 }, s("title", {}, names[m] + (told.proba ? ": " + percent(sure, 0) + " sure" : ""))));
    });
  });
  if (told.proba) for (const v of [0, 0.5, 1]) svg.append(s("text", { x: 134 + v * (width - 156), y: shown.length * lane + 16, "text-anchor": "middle" }, percent(v, 0)));
  return svg;
}

export async function showRow(app, place, row, withTree = false) {
  const told = await app.ask("row", { row, tree: withTree });
  const { classes } = app.members;
  const parts = [
    h("h3", { tabindex: "-1" }, `Row ${row + 1}: it is `, h("i", { class: "chip k" + (told.truth % 8) }), classes[told.truth]),
    lanes(app, told),
  ];
  if (told.values.length) {
    const near = told.nearest;
    parts.push(h("div", { class: "box" }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "text" }, "Column"), h("th", { scope: "col" }, "this row"),
        near.map((one) => h("th", { scope: "col" }, one.label, h("small", {}, " " + number(one.distance, 2)))))),
      h("tbody", {}, told.values.map((value, k) => h("tr", {}, h("th", { scope: "row" }, value.name), h("td", {}, value.text),
        near.map((one) => h("td", { class: one.values[k] === value.text ? "same" : "" }, one.values[k]))))))));
    if (near.length) parts.push(h("p", { class: "note" }, "Beside it the rows most like it among those learnt from, with their labels and how far they are."));
  }
  if (told.path) parts.push(h("p", {}, h("b", {}, "The tree in its place says " + told.tree_says + ": "), told.path.join(", and ") + "."));
  else if (app.members.has_model) parts.push(h("p", {}, h("button", { type: "button", onclick: (event) => {
    event.currentTarget.disabled = true;
    event.currentTarget.textContent = "Making the tree\u2026";
    app.guard(() => showRow(app, place, row, true));
  } }, "Which part of the table decides?")));
  replace(place, parts);
  place.hidden = false;
}
