// Two dimensions by hand: paint points, watch the boundaries of members and ensemble.
import { h, replace, canvas, colour, latest, many } from "./dom.js";
import { percent } from "./shared.js";
import { slider } from "./charts.js";

const GRID = 64, NEAR = 0.025;

export function paintView(app, panel) {
  let points = [], label = 0, told = null, lines = true, cursor = null, rubber = false;
  const settings = { method: "adaboost-nc", n_estimators: 12, strength: 0.5 };
  const said = h("p", { "aria-live": "polite", id: "paint-said" });
  const view = canvas("A plane to paint on. Arrow keys move a cross, Enter paints, 1 to 3 choose the class, Backspace takes away.", 1, (c, width, height, element) => {
    const colours = [0, 1, 2].map((k) => colour(element, "c" + k));
    c.fillStyle = colour(element, "band");
    c.fillRect(0, 0, width, height);
    if (told) {
      const side = width / GRID;
      c.globalAlpha = 0.32;
      c.imageSmoothingEnabled = false;
      c.drawImage(regions(colours), 0, 0, width, height);
      c.globalAlpha = 1;
      if (lines) {
        c.strokeStyle = colour(element, "ink"); c.lineWidth = 1; c.globalAlpha = Math.max(0.18, 0.5 - 0.02 * told.members.length);
        for (const grid of told.members) edges(c, grid, side, height);
        c.globalAlpha = 1;
      }
      c.strokeStyle = colour(element, "ink"); c.lineWidth = 2.2;
      edges(c, told.region, side, height);
    }
    for (const [x, y, k] of points) {
      c.beginPath(); c.arc(x * width, (1 - y) * height, 5.5, 0, 7);
      c.fillStyle = colours[k]; c.fill(); c.strokeStyle = colour(element, "card"); c.lineWidth = 1.6; c.stroke();
    }
    if (cursor) {
      c.strokeStyle = colour(element, "ink"); c.lineWidth = 1.5; c.beginPath();
      const [x, y] = [cursor[0] * width, (1 - cursor[1]) * height];
      c.moveTo(x - 9, y); c.lineTo(x + 9, y); c.moveTo(x, y - 9); c.lineTo(x, y + 9); c.stroke();
    }
  });
  // A dot a place, enlarged: no seams between neighbours.
  function regions(colours) {
    const picture = new OffscreenCanvas(GRID, GRID), c = picture.getContext("2d");
    colours.forEach((paint, label) => {
      c.fillStyle = paint;
      for (let k = 0; k < GRID * GRID; k++) if (Number(told.region[k]) === label) c.fillRect(k % GRID, GRID - 1 - Math.floor(k / GRID), 1, 1);
    });
    return picture;
  }
  function edges(c, grid, side, height) {
    c.beginPath();
    for (let row = 0; row < GRID; row++) for (let column = 0; column < GRID; column++) {
      const here = grid[row * GRID + column], x = (column + 1) * side, y = height - (row + 1) * side;
      if (column + 1 < GRID && grid[row * GRID + column + 1] !== here) { c.moveTo(x, y); c.lineTo(x, y + side); }
      if (row + 1 < GRID && grid[(row + 1) * GRID + column] !== here) { c.moveTo(x - side, y); c.lineTo(x, y); }
    }
    c.stroke();
  }
  const train = latest(async () => {
    if (new Set(points.map((p) => p[2])).size < 2 || points.length < 4) { told = null; said.textContent = "Paint points of two classes, four in all."; view.paint(); return; }
    try {
      told = await app.ask("paint", { points, ...settings, resolution: GRID });
      said.textContent = `${many(points.length, "point")}, ${told.n_members ? many(told.n_members, "member") : "no members apart"}: ${percent(told.error)} of the points on the wrong side.`;
      said.dataset.points = points.length;
    } catch (error) { said.textContent = error.message; }
    view.paint();
  }, "paint");
  function add(x, y) {
    const near = (p) => Math.hypot(p[0] - x, p[1] - y) < NEAR;
    if (rubber) points = points.filter((p) => !near(p));
    else if (!points.some(near)) points.push([Math.round(1000 * x) / 1000, Math.round(1000 * y) / 1000, label]);
    view.paint(); train();
  }
  const place = (event) => {
    const outer = view.getBoundingClientRect();
    return [Math.min(1, Math.max(0, (event.clientX - outer.left) / outer.width)), Math.min(1, Math.max(0, 1 - (event.clientY - outer.top) / outer.height))];
  };
  let down = false;
  view.addEventListener("pointerdown", (event) => { down = true; cursor = null; view.setPointerCapture(event.pointerId); add(...place(event)); });
  view.addEventListener("pointermove", (event) => { if (down) add(...place(event)); });
  view.addEventListener("pointerup", () => { down = false; });
  view.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (way) {
      event.preventDefault();
      cursor = cursor ? [Math.min(1, Math.max(0, cursor[0] + 0.03 * way[0])), Math.min(1, Math.max(0, cursor[1] + 0.03 * way[1]))] : [0.5, 0.5];
      view.paint();
    } else if (event.key === "Enter" && cursor) { rubber = false; add(...cursor); }
    else if (event.key === "Backspace" && cursor) { event.preventDefault(); rubber = true; add(...cursor); rubber = false; }
    else if (["1", "2", "3"].includes(event.key)) pick(Number(event.key) - 1);
  });
  const brushes = [0, 1, 2].map((k) => h("button", { type: "button", class: "brush k" + k, "aria-pressed": k === 0, "aria-label": "paint class " + (k + 1), onclick: () => pick(k) }, String(k + 1)));
  const eraser = h("button", { type: "button", "aria-pressed": false, onclick: () => pick(-1) }, "Rubber");
  function pick(k) {
    rubber = k < 0;
    if (k >= 0) label = k;
    [...brushes, eraser].forEach((button, at) => button.setAttribute("aria-pressed", at === (k < 0 ? 3 : k)));
  }
  const method = h("select", { id: "painter", onchange: () => { settings.method = method.value; train(); } });
  // Two moons to begin with: the same every time.
  function moons() {
    points = [];
    for (let k = 0; k < 22; k++) {
      const t = (Math.PI * (k + 0.5)) / 22, wobble = (v) => 0.03 * Math.sin(7.3 * v * (k + 1));
      points.push([0.37 + 0.25 * Math.cos(t) + wobble(1), 0.42 + 0.32 * Math.sin(t) + wobble(2), 0], [0.62 - 0.25 * Math.cos(t) + wobble(3), 0.56 - 0.32 * Math.sin(t) + wobble(4), 1]);
    }
    view.paint(); train();
  }
  const some = Array.from({ length: 15 }, (_, k) => 2 * k + 2), strengths = Array.from({ length: 21 }, (_, k) => k / 20);
  replace(panel, h("div", { class: "two" },
    h("section", {}, h("h2", {}, "Paint, and watch them decide"), h("div", { class: "tools", role: "group", "aria-label": "what to paint" }, brushes, eraser), view, said),
    h("section", {}, h("h2", {}, "Who learns"), h("div", { class: "tools" }, h("label", {}, "By ", method)),
      slider("Members", some, 5, (k) => { settings.n_estimators = some[k]; train(); }, (v) => String(v)).element,
      slider("Penalty for agreeing", strengths, 10, (k) => { settings.strength = strengths[k]; train(); }).element,
      h("label", { class: "check" }, h("input", { type: "checkbox", checked: true, onchange: (event) => { lines = event.target.checked; view.paint(); } }), " boundary of each member"),
      h("div", { class: "tools" }, h("button", { type: "button", onclick: moons }, "Two moons"), h("button", { type: "button", id: "clear", onclick: () => { points = []; told = null; view.paint(); train(); } }, "Clear")),
      h("p", { class: "note" }, "Thick: the boundary of the ensemble. Thin: those of its members. Where thin lines spread, members disagree; where they lie together, one would do. " +
        "Of hyperboxes the penalty is the largest side of a box; stochastic discrimination takes ten times as many subsets as members."))));
  app.guard(async () => {
    const { painters } = await app.ask("paint", {});
    method.append(...painters.map((one) => h("option", { value: one.name }, one.title)));
    moons();
  });
}
