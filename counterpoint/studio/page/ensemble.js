// The ensemble: cloud, matrix, members and rows that follow each other; and what if.
import { h, replace, latest, many, count, squeeze } from "./dom.js";
import { number } from "./shared.js";
import { cloud } from "./cloud.js";
import { matrix } from "./matrix.js";
import { rowList, showRow } from "./rows.js";

const HIGHEST = 10;

export function ensembleView(app, panel) {
  const m = app.members, n = m.names.length, kind = app.kind;
  const rules = new Map(m.rules.map((rule) => [rule.name, rule]));
  app.rule = rules.has("own") ? "own" : m.simplest;
  app.weights = Array(n).fill(1);
  let past = [], future = [], brushed = null, first = null, chosen = "";

  // -- scores ---------------------------------------------------------------------------------
  const tiles = h("ul", { class: "tiles", id: "scores", "aria-live": "polite" });
  const panels = kind.panels.map(() => h("div", {})), lines = h("ol", { class: "lines" });
  const tile = (title, value, note, way) => h("li", { class: "tile" }, h("span", {}, title), h("b", {}, value), h("span", { class: way || "" }, note));
  const against = (now, before, written) => {
    if (first === null || now === null || before === null || Math.abs(now - before) <= 1e-6 * Math.abs(before)) return ["as at the start", ""];
    return [(now < before ? "\u2193 " : "\u2191 ") + written(Math.abs(now - before)) + " from the start", now < before ? "good" : "bad"];
  };
  const judge = latest(() => app.guard(async () => {
    const told = await app.ask("judge", { rule: app.rule, weights: app.weights });
    if (!first) first = told;
    replace(tiles,
      tile(kind.word, kind.error(told.error), `${kind.error(told.low)} to ${kind.error(told.high)}` +
        (chosen === JSON.stringify(app.weights) ? "; half of the rows chose them" : "")),
      tile("Change of " + (kind.percent ? "error" : kind.word), first === told ? "\u2013" : kind.error(told.error - first.error), ...against(told.error, first.error, kind.error)),
      kind.tiles(told, against, first).map((one) => tile(...one)),
      tile("Members", `${told.n_members} of ${n}`, told.n_rows < told.n_of ? `on ${count(told.n_rows)} rows drawn of ${count(told.n_of)}` : `on all ${many(told.n_rows, "row")}`));
    kind.panels.forEach(([, draw], k) => replace(panels[k], draw(told)));
    pairs.together(told.error);
    tiles.dataset.error = told.error;
    tiles.dataset.rule = told.rule;
    tiles.dataset.members = told.n_members;
  }), "judge");

  // -- what if: every change can be undone and is a line of Python ------------------------------
  const now = () => ({ rule: app.rule, weights: [...app.weights] });
  function written(state) {
    const same = state.weights.every((w) => w === 1);
    const off = state.weights.filter((w) => w === 0).length;
    return `what.judge("${state.rule}"${same ? "" : `, weights)  # ${n - off} on, weights ${Math.min(...state.weights.filter(Boolean))} to ${Math.max(...state.weights)}`}${same ? ")" : ""}`;
  }
  function change(edit, { join = false } = {}) {
    const before = now();
    edit();
    if (JSON.stringify(before) === JSON.stringify(now())) return;
    if (!app.weights.some(Boolean)) { app.weights = before.weights; app.say("One member must stay on."); sync(); return; }
    if (!join || !past.length) past.push(before);
    future = [];
    told();
  }
  function told() {
    if (lines.children.length > 40) lines.lastChild.remove();
    const text = written(now());
    if (lines.firstChild?.textContent !== text) lines.prepend(h("li", {}, h("code", {}, text)));
    sync();
    judge();
  }
  const move = (from, to) => () => {
    if (!from().length) return;
    to().push(now());
    ({ rule: app.rule, weights: app.weights } = from().pop());
    told();
  };
  const undo = h("button", { type: "button", id: "undo", onclick: move(() => past, () => future) }, "Undo");
  const redo = h("button", { type: "button", id: "redo", onclick: move(() => future, () => past) }, "Redo");
  const group = (title, some) => some.length ? h("optgroup", { label: title }, some.map((r) => h("option", { value: r.name }, r.title))) : null;
  const near = (r) => ["ola", "knora-e", "knora-u", "des-p"].includes(r.name);
  const select = h("select", { id: "rule", onchange: () => change(() => { app.rule = select.value; }) },
    group("Fixed", m.rules.filter((r) => !r.learns)), group("Learnt, on the other half of the rows", m.rules.filter((r) => r.learns && !near(r))),
    group("Who is good nearby", m.rules.filter(near)));
  const weighs = h("p", { class: "note" });
  const best = h("button", { type: "button", id: "best", onclick: () => app.guard(async () => {
    const on = app.weights.map((w, k) => [w, k]).filter(([w, k]) => w && (!brushed || brushed.includes(k))).map(([, k]) => k);
    best.disabled = true;
    try {
      const found = await app.ask("best", { members: on });
      const weights = found.weights.map((w) => Math.min(w, HIGHEST));
      chosen = JSON.stringify(weights);
      change(() => { app.rule = found.rule; app.weights = weights; });
      weighs.textContent = `Chosen on ${count(found.n_chosen_on)} rows; on the ${count(found.n_rows)} others ${kind.chosen} ${kind.error(found.error)} (${kind.error(found.low)} to ${kind.error(found.high)}).`;
    } finally { best.disabled = false; }
  }) }, "Best of these");
  const all = h("button", { type: "button", id: "all", onclick: () => change(() => { app.weights = app.weights.map(() => 1); }) }, "All on");
  const only = h("button", { type: "button", id: "only", disabled: true, onclick: () => change(() => {
    app.weights = app.weights.map((w, k) => brushed.includes(k) ? w || 1 : 0);
  }) }, "Only the brushed");

  // -- members ------------------------------------------------------------------------------------
  const far = Math.max(...m.errors, 1e-9);
  const meanAlike = m.shown.map((_, i) => {
    const row = m.alike ? m.alike[i].filter((v, j) => j !== i && v !== null) : [];
    return row.length ? row.reduce((a, b) => a + b, 0) / row.length : null;
  });
  const items = m.names.map((name, k) => {
    const place = m.shown.indexOf(k);
    const box = h("input", { type: "checkbox", checked: true, "aria-label": name + " on", onchange: () => change(() => { app.weights[k] = box.checked ? 1 : 0; }) });
    const weight = h("input", { type: "range", min: 0, max: HIGHEST, step: 1, "aria-label": "weight of " + name });
    let joined = false;
    weight.addEventListener("input", () => { change(() => { app.weights[k] = Number(weight.value); }, { join: joined }); joined = true; });
    weight.addEventListener("change", () => { joined = false; });
    const says = h("output", {});
    const row = h("tr", { "data-member": k }, h("td", {}, box), h("th", { scope: "row" }, h("span", { title: name }, squeeze(name, 20))),
      h("td", {}, h("span", { class: "bar" }, h("i", { style: { width: (100 * m.errors[k]) / far + "%" } })), h("span", { class: "figure" }, kind.error(m.errors[k]))),
      h("td", {}, place < 0 ? "" : number(meanAlike[place], 2)), h("td", { class: "weigh" }, weight, says));
    return { row, box, weight, says, k, alike: place < 0 ? null : meanAlike[place] };
  });
  const bodyOf = h("tbody", {}, items.map((item) => item.row));
  const sorts = { Member: (a, b) => a.k - b.k, [kind.word]: (a, b) => m.errors[a.k] - m.errors[b.k], [kind.alikeWord]: (a, b) => (a.alike ?? 2) - (b.alike ?? 2), Weight: (a, b) => app.weights[b.k] - app.weights[a.k] };
  const heads = ["", "Member", kind.word, kind.alikeWord, "Weight"].map((title) => {
    const head = h("th", { scope: "col", class: title === "Member" ? "text" : "" });
    if (!title) head.append(h("span", { class: "unseen" }, "On"));
    else head.append(h("button", { type: "button", onclick: () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const order = [...items].sort((a, b) => (up ? 1 : -1) * sorts[title](a, b));
      bodyOf.replaceChildren(...order.map((item) => item.row));
    } }, title));
    return head;
  });
  const listed = h("p", { class: "note", id: "listed" });
  function sync() {
    const rule = rules.get(app.rule);
    select.value = app.rule;
    undo.disabled = !past.length; redo.disabled = !future.length;
    for (const { row, box, weight, says, k } of items) {
      box.checked = app.weights[k] > 0;
      weight.value = app.weights[k];
      weight.disabled = !rule.weighable;
      says.textContent = rule.weighable ? app.weights[k] : "";
      row.classList.toggle("off", !app.weights[k]);
    }
    list();
    weighs.textContent = rule.learns ? "Learnt on one half of the rows and judged on the other, in turn."
      : rule.weighable ? "" : "This rule takes members as they are: they can be switched, not weighed.";
  }
  // A brush moves often: of the members it changes who is listed, and nothing else.
  function list() {
    const kept = brushed && new Set(brushed);
    for (const { row, k } of items) {
      const hidden = Boolean(kept) && !kept.has(k);
      if (row.hidden !== hidden) row.hidden = hidden;
    }
    listed.textContent = brushed ? `${brushed.length} of ${n} members: those in the box.` : many(n, "member") + ".";
    only.disabled = !brushed;
  }

  // -- rows -----------------------------------------------------------------------------------------
  const fights = h("div", { class: "box", id: "fights" }), saying = h("p", { class: "note" }), detail = h("section", { class: "detail", hidden: true, id: "row" });
  const follow = latest((chosen) => app.guard(async () => {
    const told = await app.ask("brush", { members: chosen || m.names.map((_, k) => k) });
    saying.textContent = `${kind.together(chosen ? "these " + many(chosen.length, "member") : "all")}${kind.error(told.error)} (${kind.error(told.low)} to ${kind.error(told.high)}). Rows they disagree about most:`;
    replace(fights, rowList(app, told.rows, (row) => app.guard(async () => { await showRow(app, detail, row); detail.scrollIntoView({ block: "nearest", behavior: "smooth" }); })));
    fights.dataset.of = chosen ? chosen.length : n;
  }), "brush");

  const square = m.alike ? matrix(m, kind) : null;
  const pairs = m.alike ? cloud(m, kind, {
    brushed(chosen) {
      brushed = chosen && chosen.length ? chosen : null;
      square.only(brushed); list(); follow(brushed);
    },
    pointed(pair) { square.mark(pair); },
  }) : { element: h("p", {}, "One member has nobody to agree with."), together() {}, clear() {} };

  const thinned = m.shown.length < n ? h("p", { class: "note" }, `Pictures of pairs show ${m.shown.length} of ${n} members, evenly spaced.`) : null;
  replace(panel, tiles,
    h("div", { class: "two" },
      h("section", {}, h("h2", {}, "Who agrees, who errs"), pairs.element, thinned),
      h("section", {}, h("h2", {}, "Who is like whom"), square ? square.element : null)),
    h("div", { class: "two" },
      h("section", { class: "whatif" }, h("h2", {}, "What if"),
        h("div", { class: "tools" }, h("label", {}, "Combine by ", select), all, only, best, undo, redo), weighs,
        h("div", { class: "box", id: "members" }, h("table", { class: "members" }, h("thead", {}, h("tr", {}, heads)), bodyOf)), listed),
      h("section", {}, h("h2", {}, "Rows they fight over"), saying, fights)),
    detail,
    h("div", { class: "three" },
      kind.panels.map(([title], k) => h("section", {}, h("h2", {}, title), panels[k]))),
    h("section", {}, h("h2", {}, "What you did, in Python"), lines));
  panel.onkeydown = (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") { event.preventDefault(); (event.shiftKey ? redo : undo).click(); }
  };
  lines.append(h("li", {}, h("code", {}, written(now()))));
  sync(); judge(); follow(null);
}
