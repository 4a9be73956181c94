// One tree in place of the model: readable, zoomable, with its rules; a leaf shows its rows.
import { h, s, replace, latest, many, short } from "./dom.js";
import { percent } from "./shared.js";
import { frame, padded, path, slider } from "./charts.js";
import { rowList, showRow } from "./rows.js";

const WIDE = 158, HIGH = 80, BOX = 144;
// A question in two lines: the column, and what is asked of it.
const CUT = / (?=(?:\u2264|is) )/;

function layout(nodes) {
  const at = nodes.map(() => ({ x: 0, y: 0 }));
  let leaves = 0, deepest = 0;
  (function place(k, depth) {
    at[k].y = depth;
    deepest = Math.max(deepest, depth);
    const node = nodes[k];
    if (node.yes === null) { at[k].x = leaves++; return; }
    place(node.yes, depth + 1);
    place(node.no, depth + 1);
    at[k].x = (at[node.yes].x + at[node.no].x) / 2;
  })(0, 0);
  return { at, width: Math.max(leaves, 1) * WIDE, height: (deepest + 1) * HIGH };
}

export function treeView(app, panel) {
  const waiting = h("p", { class: "note" }, "Making one tree of the members\u2026");
  replace(panel, h("section", {}, waiting));
  app.guard(async () => {
    const told = await app.ask("tree", { leaves: 8 });
    const sizes = told.sizes, most = Math.min(told.n_leaves, 64);
    const drawing = h("div", { class: "tree-box", tabindex: "0", role: "group", "aria-label": "The tree; + and - zoom, arrows move" });
    const rules = h("ol", { class: "rules" }), said = h("p", { "aria-live": "polite", id: "tree-said" });
    const fights = h("div", { class: "box" }), of = h("p", { class: "note" }, "Click a leaf to see its rows."), detail = h("section", { class: "detail", hidden: true });
    let zoom = 1, moveX = 0, moveY = 0, inner, leaves = 8;
    const apply = () => inner?.setAttribute("transform", `translate(${moveX} ${moveY}) scale(${zoom})`);
    const zoomBy = (by) => { zoom = Math.max(0.3, Math.min(4, zoom * by)); apply(); };

    const chosen = (leaf) => app.guard(async () => {
      const found = await app.ask("leaf", { leaves, leaf });
      of.textContent = `${many(found.n_rows, "row")} lie in this leaf; ${app.kind.barNote}`;
      replace(fights, rowList(app, found.rows, (row) => app.guard(() => showRow(app, detail, row, true))));
    });
    function draw(now) {
      const { at, width, height } = layout(now.nodes);
      inner = s("g", {});
      now.nodes.forEach((node, k) => {
        const x = at[k].x * WIDE + WIDE / 2, y = at[k].y * HIGH + 24;
        for (const [child, word] of [[node.yes, "yes"], [node.no, "no"]]) if (child !== null) {
          const cx = at[child].x * WIDE + WIDE / 2, cy = at[child].y * HIGH + 6;
          inner.prepend(s("path", { class: "edge", d: `M${x} ${y + 16}C${x} ${y + 40} ${cx} ${cy - 24} ${cx} ${cy}`, "stroke-width": 1 + 6 * now.nodes[child].weight }));
          inner.append(s("text", { class: "answer", x: (x + cx) / 2 + (word === "yes" ? -6 : 6), y: (y + cy) / 2 + 12, "text-anchor": word === "yes" ? "end" : "start" }, word));
        }
        const leaf = node.yes === null;
        const words = leaf ? node.label.replace("-", "\u2212") : node.question, looks = leaf ? app.kind.leaf(node) : null;
        const box = s("g", { class: leaf ? "leaf" : "ask", tabindex: leaf ? "0" : null, role: leaf ? "button" : null, "data-node": k,
          "aria-label": leaf ? `${words}${looks.sure}, ${many(now.rows_at[k], "row")}` : null },
        s("title", {}, leaf ? `${words}: ${looks.why}${many(now.rows_at[k], "row")} here` : node.question),
        s("rect", { x: x - BOX / 2, y: y - 18, width: BOX, height: 36, rx: 7, style: leaf ? { stroke: looks.colour } : {} }),
        leaf ? s("text", { x, y: y - 2, "text-anchor": "middle" }, short(words, 22)) : [
          s("text", { x, y: y - 3, "text-anchor": "middle" }, short(words.split(CUT)[0], 22)),
          s("text", { x, y: y + 12, "text-anchor": "middle", class: "value" }, short(words.split(CUT).slice(1).join(" "), 22))]);
        if (leaf) {
          box.append(s("rect", { class: "share", x: x - BOX / 2 + 8, y: y + 6, height: 5, rx: 2, width: (BOX - 16) * looks.share, style: { fill: looks.colour } }));
          box.addEventListener("click", () => chosen(k));
          box.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); chosen(k); } });
        }
        inner.append(box);
      });
      replace(drawing, s("svg", { viewBox: `0 0 ${width} ${height}`, class: "tree", style: { maxWidth: width * 1.6 + "px", minWidth: width * 0.7 + "px" } }, inner));
      apply();
      replace(rules, now.rules.map((rule) => h("li", {}, rule)));
      said.textContent = `${many(now.shown.n_leaves, "leaf").replace("leafs", "leaves")}: ${app.kind.treeErrs} ${app.kind.error(now.shown.error)} ${app.kind.percent ? "of" : "on"} ${many(now.shown.n_rows, "row")}; the ensemble ${app.kind.on} ${app.kind.error(now.model_error)}.`;
      said.dataset.leaves = now.shown.n_leaves;
    }
    const ask = latest((n) => app.guard(async () => { leaves = n; draw(await app.ask("tree", { leaves: n })); mark(n); }), "tree");
    // Fidelity and error against the number of leaves.
    const x = [0, Math.log2(Math.max(2, told.n_leaves))];
    const curve = frame({ x, y: [0, 1], height: 200, xLabel: "leaves", yLabel: "share, %", xTicks: sizes.slice(0, -1).map((r) => [Math.log2(r.n_leaves), String(r.n_leaves)]), label: "Fidelity and error of the tree at every size" });
    const within = (v) => curve.sy(Math.max(0, Math.min(1, v ?? 0)));
    curve.body.append(
      s("path", { class: "line", d: path(sizes.map((r) => [curve.sx(Math.log2(r.n_leaves)), within(r.fidelity)])) }),
      s("path", { class: "line warm", d: path(sizes.map((r) => [curve.sx(Math.log2(r.n_leaves)), within(app.kind.errorShare(r.error))])) }));
    for (const r of sizes) curve.body.append(s("circle", { class: "dot", r: 3.5, cx: curve.sx(Math.log2(r.n_leaves)), cy: within(r.fidelity) }, s("title", {}, app.kind.fidelity(r))));
    const line = s("line", { class: "mark", y1: curve.top, y2: curve.bottom });
    curve.body.append(line);
    const mark = (n) => { const v = curve.sx(Math.log2(n)); line.setAttribute("x1", v); line.setAttribute("x2", v); };
    const values = Array.from({ length: Math.max(1, most - 1) }, (_, k) => k + 2);
    const { element } = slider("Leaves", values, Math.max(0, values.indexOf(8)), (k) => ask(values[k]), (v) => String(v));

    drawing.addEventListener("wheel", (event) => { if (!event.ctrlKey) return; event.preventDefault(); zoomBy(event.deltaY < 0 ? 1.15 : 1 / 1.15); }, { passive: false });
    let from = null;
    drawing.addEventListener("pointerdown", (event) => { if (!event.target.closest(".leaf")) from = [event.clientX - moveX, event.clientY - moveY]; });
    drawing.addEventListener("pointermove", (event) => { if (from) { moveX = event.clientX - from[0]; moveY = event.clientY - from[1]; apply(); } });
    for (const end of ["pointerup", "pointerleave"]) drawing.addEventListener(end, () => { from = null; });
    drawing.addEventListener("keydown", (event) => {
      const by = { "+": 1.2, "=": 1.2, "-": 1 / 1.2 }[event.key];
      const way = { ArrowLeft: [30, 0], ArrowRight: [-30, 0], ArrowUp: [0, 30], ArrowDown: [0, -30] }[event.key];
      if (by) zoomBy(by);
      else if (way) { moveX += way[0]; moveY += way[1]; apply(); event.preventDefault(); }
      else if (event.key === "0") { zoom = 1; moveX = moveY = 0; apply(); }
    });
    const tool = (text, title, work) => h("button", { type: "button", "aria-label": title, onclick: work }, text);
    replace(panel,
      h("section", {}, h("h2", {}, "One tree in its place"), h("p", {}, told.sentences.join(" ")),
        h("div", { class: "tools" }, element, tool("+", "zoom in", () => zoomBy(1.2)), tool("\u2212", "zoom out", () => zoomBy(1 / 1.2)), tool("Reset", "zoom and place as at first", () => { zoom = 1; moveX = moveY = 0; apply(); })),
        said, drawing),
      h("div", { class: "two" },
        h("section", {}, h("h2", {}, "Rows in a leaf"), of, fights, h("h2", { class: "later" }, "How small may it be?"), curve.svg,
          h("p", { class: "note" }, app.kind.sizesNote)),
        h("section", {}, h("h2", {}, "The same as rules"), h("div", { class: "box tall" }, rules))), detail);
    draw(told); mark(8);
  });
}
