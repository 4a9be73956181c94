// Rows that members fight over, and one of them in full: who said what, how sure, and why.
import { h, replace } from "./dom.js";
import { number } from "./shared.js";

export function rowList(app, rows, chosen) {
  if (!rows.length) return h("p", { class: "note" }, "They agree about every row.");
  const bar = app.kind.bars(rows);
  return h("ol", { class: "fights" }, rows.map((row) => h("li", {},
    h("button", { type: "button", "data-row": row.row, onclick: (event) => {
      for (const other of event.currentTarget.closest("ol").querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
      event.currentTarget.setAttribute("aria-current", "true");
      chosen(row.row);
    } },
    h("span", { class: "n" }, "row " + (row.row + 1)), bar(row),
    h("span", { class: "truth" }, app.kind.truth(row.truth))))));
}

export async function showRow(app, place, row, withTree = false) {
  const told = await app.ask("row", { row, tree: withTree });
  const parts = [
    h("h3", { tabindex: "-1" }, `Row ${row + 1}: it is `, app.kind.truth(told.truth)),
    app.kind.said(told),
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
