// A table: what its columns are taken for, and a fit that can be watched and stopped.
import { h, s, replace, latest } from "./dom.js";
import { percent, number } from "./shared.js";
import { frame, padded, path } from "./charts.js";
import { words } from "./kinds.js";

function dropZone(app) {
  const input = h("input", { type: "file", id: "file", class: "unseen", accept: ".csv,.tsv,.txt,.xlsx,.parquet,.arrow,.feather,.gz,.zip" });
  const zone = h("label", { class: "drop", for: "file" }, h("b", {}, "Drop a table here"), h("span", {}, "or choose a file: .csv, .tsv, .xlsx, .parquet, also packed. It stays on this machine."), input);
  const take = (file) => file && app.guard(async () => { app.fitting = false; await app.show(await app.link.drop(file)); });
  input.addEventListener("change", () => take(input.files[0]));
  for (const kind of ["dragover", "dragenter"]) zone.addEventListener(kind, (event) => { event.preventDefault(); zone.classList.add("over"); });
  for (const kind of ["dragleave", "drop"]) zone.addEventListener(kind, () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => { event.preventDefault(); take(event.dataTransfer.files[0]); });
  return zone;
}

export function tableView(app, panel) {
  const state = app.state;
  if (!state.table) { replace(panel, h("section", {}, dropZone(app))); return; }
  const wishes = {};
  const target = h("select", { id: "target", onchange: () => look() }, h("option", { value: "" }, "choose\u2026"),
    state.columns.map((name) => h("option", { value: name, selected: name === state.table.target }, name)));
  const task = h("select", { id: "task", onchange: () => look() }, [["", "what it looks like"], ["classification", "classes"], ["regression", "numbers"]].map(([value, text]) => h("option", { value }, text)));
  const method = h("select", { id: "method" }), about = h("p", { class: "note" }), limit = h("input", { type: "number", min: 1, step: 1, placeholder: "none", id: "limit" });
  const taken = h("div", { class: "box tall taken" }), notes = h("ul", { class: "notes" });
  const fit = h("button", { type: "button", id: "fit", class: "main", disabled: true }, "Fit");
  const stop = h("button", { type: "button", id: "stop", disabled: true }, "That is good enough");
  const live = h("section", { hidden: true });

  // One question at a time: an answer that comes late must not undo a later one.
  const look = latest(() => app.guard(async () => {
    const told = await app.ask("columns", { target: target.value, wishes, task: task.value });
    fit.disabled = !told.task || app.fitting;
    task.options[0].textContent = told.task && !task.value ? `what it looks like: ${told.task === "regression" ? "numbers" : "classes"}` : "what it looks like";
    const before = method.value;
    replace(method, told.methods.map((one) => h("option", { value: one.name, selected: one.name === before }, one.name)));
    method.onchange = () => { about.textContent = told.methods.find((one) => one.name === method.value)?.what || ""; };
    method.onchange();
    replace(notes, told.notes.map((note) => h("li", {}, note)));
    replace(taken, h("table", {}, h("thead", {}, h("tr", {}, ["Column", "Taken for", "Why"].map((title) => h("th", { scope: "col", class: "text" }, title)))),
      h("tbody", {}, told.columns.map((column) => h("tr", {}, h("th", { scope: "row" }, h("span", { class: "short", title: column.name }, column.name)),
        h("td", { class: "text" }, column.taken_for === "target" ? "target" : h("select", { "aria-label": "what " + column.name + " is taken for", onchange: (event) => {
          if (event.target.value) wishes[column.name] = event.target.value; else delete wishes[column.name];
          look();
        } }, h("option", { value: "", selected: !wishes[column.name] }, wishes[column.name] ? "as it looks" : column.taken_for),
        told.uses.map((use) => h("option", { value: use, selected: wishes[column.name] === use }, use)))),
        h("td", { class: "text wrap" }, column.why))))));
  }), "columns");

  const steps = [];
  function draw(last) {
    const n = Math.max(steps.length, 2), w = words(last.numbers);
    const { svg, body, sx, sy } = frame({ x: [1, n], y: padded(steps.flatMap((step) => [step.alone, step.error]), 0), xLabel: "members tried", yLabel: w.axis, yPercent: w.percent,
      label: `${w.word} of the ensemble so far: ${w.error(last.error)} after ${steps.length} members` });
    body.append(s("path", { class: "line", d: path(steps.map((step, k) => [sx(k + 1), sy(step.error)])) }));
    steps.forEach((step, k) => body.append(s("circle", { class: "alone", cx: sx(k + 1), cy: sy(step.alone), r: 4.5 }, s("title", {}, `${step.name}: ${w.error(step.alone)} alone`)),
      s("circle", { class: "dot", cx: sx(k + 1), cy: sy(step.error), r: 3 })));
    const who = Object.entries(last.weights).filter(([, w]) => w > 0).sort((a, b) => b[1] - a[1]);
    replace(live, h("h2", {}, "Members as they are tried"),
      h("ul", { class: "tiles" }, h("li", { class: "tile" }, h("span", {}, w.word + " of the ensemble so far"), h("b", { id: "live-error" }, w.error(last.error)), h("span", {}, `${w.error(last.low)} to ${w.error(last.high)}, by cross-fitting`)),
        h("li", { class: "tile" }, h("span", {}, "Members tried"), h("b", { id: "live-tried" }, `${last.n_tried} of ${last.n_members}`), h("span", {}, last.name + ", " + number(last.seconds, 1) + "\u00a0s")),
        h("li", { class: "tile" }, h("span", {}, w.loss + " so far"), h("b", {}, w.numbers ? w.error(last.loss) : number(last.loss)), h("span", {}, "what the choice goes by"))),
      h("div", { class: "two plain" }, h("div", {}, svg, h("p", { class: "note" }, "Line: all so far together. Circles: each member alone.")),
        h("div", { class: "rows" }, who.map(([name, w]) => h("div", { class: "row" }, h("span", { class: "name" }, name), h("span", { class: "track" }, h("i", { class: "total", style: { left: "0", width: 100 * w + "%" } })), h("span", { class: "figure" }, percent(w, 0)))))));
  }
  const over = () => { app.fitting = false; fit.disabled = false; stop.disabled = true; };
  function watch() {
    app.fitting = true; fit.disabled = true; stop.disabled = false; live.hidden = false; steps.length = 0;
    replace(live, h("h2", {}, "Members as they are tried"), h("p", { class: "note", "aria-live": "polite" }, "Reading, encoding, and trying the first member\u2026"));
    app.link.follow(async (event) => {
      if (event.event === "step") { if (event.error !== undefined) { steps.push(event); draw(event); } return; }
      over();
      if (event.event === "failed") { app.say(event.error); return; }
      await app.guard(async () => app.show(await app.ask("state")));
      if (event.warnings.length) app.say(event.warnings.join(" "));
    });
  }
  fit.addEventListener("click", () => app.guard(async () => {
    await app.ask("fit", { target: target.value, method: method.value, task: task.value || null, wishes, time_limit: limit.value ? Number(limit.value) : null });
    watch();
  }));
  stop.addEventListener("click", () => app.guard(async () => { stop.disabled = true; stop.textContent = "Ending after this member\u2026"; await app.ask("stop"); }));

  replace(panel, h("section", {}, h("h2", {}, "Learn from it"),
    h("div", { class: "tools" }, h("label", {}, "Predict ", target), h("label", {}, "as ", task), h("label", {}, "with ", method), h("label", {}, "seconds at most ", limit), fit, stop), about),
  live,
  h("section", {}, h("h2", {}, "What each column is taken for"), notes, taken),
  h("section", {}, dropZone(app)));
  look();
  if (state.busy) watch();
}
