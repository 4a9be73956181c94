// The studio itself: what is open, the views, and what can be taken along.
import { h, replace, many, visible } from "./dom.js";
import { ensembleView } from "./ensemble.js";
import { sliderView } from "./sliders.js";
import { treeView } from "./tree.js";
import { tableView } from "./table.js";
import { paintView } from "./paint.js";
import { kindOf } from "./kinds.js";

const VIEWS = [
  ["table", "Table", tableView], ["ensemble", "Ensemble", ensembleView],
  ["sliders", "Sliders", sliderView], ["tree", "One tree", treeView], ["paint", "Paint", paintView],
];

export function start(root, link) {
  const heading = h("h1", {}), about = h("p", { class: "about" });
  const message = h("p", { class: "alert", role: "alert", hidden: true });
  const changed = h("p", { class: "alert", hidden: true },
    "The file has changed on disk since it was read. ",
    h("button", { type: "button", onclick: () => app.guard(async () => { app.show(await link.ask("read_again")); }) }, "Read it again"));
  const tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Views" });
  const body = h(link.alone ? "main" : "div", { class: "body" });
  const actions = h("div", { class: "actions" });
  const views = new Map();

  const app = {
    root, link, state: null, members: null, kind: null, rule: "vote", weights: [],
    ask: (question, data) => link.ask(question, data),
    say(text) { message.hidden = !text; message.textContent = text ? visible(text) : ""; },
    // Errors of the library are words for people: they are shown, not swallowed.
    async guard(work) {
      try { const result = await work(); app.say(""); return result; }
      catch (error) { app.say(error.message); return undefined; }
    },
    async show(state) {
      app.state = state;
      changed.hidden = !state.changed;
      app.members = state.ensemble ? await link.ask("members") : null;
      app.kind = app.members && kindOf(app.members);
      heading.textContent = visible(state.name || "Something to look at");
      const m = app.members;
      about.textContent = m ? visible(`${m.method ? m.method + ": " : ""}${many(m.names.length, "member")}, ` +
        `${many(m.n_samples, "row")} nobody was trained on, ${app.kind.about}`)
        : state.table ? many(state.table.n_rows, "row") + ", " + many(state.columns.length, "column")
          : "Drop a table, or paint one.";
      for (const view of views.values()) view.stale = true;
      for (const [name] of VIEWS) {
        const able = name === "paint" || (name === "table" ? Boolean(state.table) || !state.ensemble
          : Boolean(m) && (name !== "tree" || m.has_model));
        tabs.querySelector(`#tab-${name}`).hidden = !able;
      }
      for (const button of actions.children) button.hidden = !m || (button.dataset.needs === "model" && !m.has_model);
      app.go(m ? "ensemble" : "table");
    },
    go(name) {
      const make = VIEWS.find((view) => view[0] === name)[2];
      if (!views.has(name)) {
        const panel = h("div", { role: "tabpanel", id: "panel-" + name, "aria-labelledby": "tab-" + name });
        body.append(panel);
        views.set(name, { panel, stale: true });
      }
      for (const [other, view] of views) view.panel.hidden = other !== name;
      for (const tab of tabs.children) {
        const on = tab.id === "tab-" + name;
        tab.setAttribute("aria-selected", on);
        tab.tabIndex = on ? 0 : -1;
      }
      const view = views.get(name);
      if (view.stale) { view.stale = false; make(app, view.panel); }
      app.view = name;
    },
  };

  for (const [name, title] of VIEWS) tabs.append(h("button", {
    type: "button", role: "tab", id: "tab-" + name, "aria-controls": "panel-" + name, onclick: () => app.go(name),
  }, title));
  tabs.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const able = [...tabs.children].filter((tab) => !tab.hidden);
    const next = able[(able.indexOf(document.activeElement) + step + able.length) % able.length];
    next.focus();
    next.click();
  });

  const stateNow = () => ({ rule: app.rule, weights: app.weights.length ? app.weights : null });
  const copy = h("button", { type: "button", id: "copy-script", onclick: () => app.guard(async () => {
    const { script } = await link.ask("script", stateNow());
    replace(shown, h("h2", {}, "The same from Python"), h("pre", { tabindex: "0" }, script));
    shown.hidden = false;
    try { await navigator.clipboard.writeText(script); copy.textContent = "Copied"; }
    catch { copy.textContent = "Shown below"; }
    setTimeout(() => { copy.textContent = "Copy script"; }, 1500);
  }) }, "Copy script");
  const save = (what, title, name) => h("button", { type: "button", id: "save-" + what, "data-needs": "model",
    onclick: () => app.guard(() => link.download(what, stateNow(), name)) }, title);
  actions.append(copy, save("page", "Save page", "studio.html"), save("model", "Save model", "model.skops"));
  const shown = h("section", { class: "script", hidden: true });

  replace(root, h("header", {}, h("div", { class: "title" }, h("span", { class: "brand" }, "counterpoint studio"), heading, about), actions),
    message, changed, tabs, shown, body);
  app.guard(async () => app.show(await link.ask("state")));
  // A tab left open sees that the file has changed, or that the studio has ended.
  const look = async () => {
    if (document.hidden) return;
    try {
      const state = await link.ask("state");
      changed.hidden = !state.changed;
      if (app.gone) { app.gone = false; app.say(""); }
      if (app.state && state.version !== app.state.version && !state.busy && !app.fitting) app.show(state);
    } catch (error) { app.gone = true; app.say(error.message); }
  };
  app.timer = setInterval(look, 4000);
  document.addEventListener("visibilitychange", look);
  return app;
}
