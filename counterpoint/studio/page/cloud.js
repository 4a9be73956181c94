// The cloud: every pair of members by agreement and error. Drag a box around some: the rest follows.
import { h, canvas, colour, tip, count } from "./dom.js";
import { number } from "./shared.js";
import { padded, scale, ticks, written } from "./charts.js";

const LEFT = 50, RIGHT = 12, TOP = 12, BOTTOM = 40;

// Pairs of members as flat arrays: how far alike, mean error, first and second.
export function pairsOf(members) {
  const n = members.shown.length, size = (n * (n - 1)) / 2;
  const x = new Float32Array(size), y = new Float32Array(size);
  const first = new Int32Array(size), second = new Int32Array(size);
  let k = 0;
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) {
    const alike = members.alike[i][j];
    if (alike === null) continue;
    x[k] = alike;
    y[k] = (members.errors[members.shown[i]] + members.errors[members.shown[j]]) / 2;
    first[k] = i; second[k] = j; k++;
  }
  return { x: x.subarray(0, k), y: y.subarray(0, k), first, second, length: k };
}

export function cloud(members, kind, { brushed, pointed }) {
  const pairs = pairsOf(members);
  const figure = h("figure", { class: "cloud" });
  const xs = padded(pairs.x);
  let ys = padded(pairs.y, 0);
  let box = null, dots = null, sx, sy, chosen = null, mark = -1, together = null;

  // Many pairs are drawn once as a picture of their own; a brush then only draws what it holds.
  function layer(width, height, element) {
    const scaleTo = window.devicePixelRatio || 1;
    const made = new OffscreenCanvas(Math.round(width * scaleTo), Math.round(height * scaleTo));
    const c = made.getContext("2d");
    c.setTransform(scaleTo, 0, 0, scaleTo, 0, 0);
    points(c, colour(element, "accent"), null);
    return made;
  }
  function points(c, paint, of) {
    const n = pairs.length, r = Math.max(1.3, Math.min(5, 60 / Math.sqrt(n)));
    c.fillStyle = paint;
    c.globalAlpha = Math.max(0.12, Math.min(0.8, 28 / Math.sqrt(n)));
    for (let k = 0; k < n; k++) {
      if (of && !of[k]) continue;
      const px = sx(pairs.x[k]), py = sy(pairs.y[k]);
      if (n > 3000) c.fillRect(px - r, py - r, 2 * r, 2 * r);
      else { c.beginPath(); c.arc(px, py, r, 0, 7); c.fill(); }
    }
    c.globalAlpha = 1;
  }

  const view = canvas("Pairs of members by agreement and mean error. Drag, or press arrow keys, to choose some.", 0.68,
    (c, width, height, element) => {
      const quiet = colour(element, "quiet"), line = colour(element, "line");
      sx = scale(...xs, LEFT, width - RIGHT); sy = scale(...ys, height - BOTTOM, TOP);
      c.font = "12px system-ui, sans-serif"; c.fillStyle = quiet; c.strokeStyle = line; c.lineWidth = 1;
      const ty = ticks(...ys, 5), tx = ticks(...xs, 6);
      c.textAlign = "right"; c.textBaseline = "middle";
      for (const v of ty.values) {
        c.beginPath(); c.moveTo(LEFT, sy(v)); c.lineTo(width - RIGHT, sy(v)); c.stroke();
        c.fillText(written(v, ty.digits, kind.percent), LEFT - 7, sy(v));
      }
      c.textAlign = "center"; c.textBaseline = "alphabetic";
      for (const v of tx.values) c.fillText(written(v, tx.digits), sx(v), height - BOTTOM + 16);
      c.fillText(kind.alikeAxis, (LEFT + width - RIGHT) / 2, height - 6);
      c.save(); c.translate(12, (TOP + height - BOTTOM) / 2); c.rotate(-Math.PI / 2);
      c.fillText(kind.pairAxis, 0, 0); c.restore();
      const key = width + "x" + height + colour(element, "accent");
      if (!dots || dots.key !== key) { dots = layer(width, height, element); dots.key = key; }
      c.globalAlpha = chosen ? 0.25 : 1;
      c.drawImage(dots, 0, 0, width, height);
      c.globalAlpha = 1;
      if (chosen) points(c, colour(element, "warm"), chosen);
      if (together !== null) {
        c.strokeStyle = colour(element, "good"); c.setLineDash([5, 4]); c.beginPath();
        const at = Math.max(TOP, Math.min(height - BOTTOM, sy(together)));
        c.moveTo(LEFT, at); c.lineTo(width - RIGHT, at); c.stroke(); c.setLineDash([]);
        c.fillStyle = colour(element, "good"); c.textAlign = "right";
        c.strokeStyle = colour(element, "card"); c.lineWidth = 4; c.lineJoin = "round";  // points do not cross the words
        for (const write of ["strokeText", "fillText"]) c[write](kind.word + " together " + kind.error(together), width - RIGHT - 2, at - 6);
      }
      if (mark >= 0) {
        c.strokeStyle = colour(element, "ink"); c.lineWidth = 2; c.beginPath();
        c.arc(sx(pairs.x[mark]), sy(pairs.y[mark]), 6, 0, 7); c.stroke();
      }
      if (box) {
        c.strokeStyle = colour(element, "warm"); c.lineWidth = 1.5; c.fillStyle = colour(element, "warm");
        const [a, b, w, t] = [sx(box[0]), sy(box[3]), sx(box[1]) - sx(box[0]), sy(box[2]) - sy(box[3])];
        c.globalAlpha = 0.07; c.fillRect(a, b, w, t); c.globalAlpha = 1; c.strokeRect(a, b, w, t);
      }
    });
  const show = tip(figure);
  const note = h("figcaption", {});
  figure.prepend(view, note);

  function select() {
    if (!box) { chosen = null; } else {
      chosen = new Uint8Array(pairs.length);
      for (let k = 0; k < pairs.length; k++)
        chosen[k] = pairs.x[k] >= box[0] && pairs.x[k] <= box[1] && pairs.y[k] >= box[2] && pairs.y[k] <= box[3] ? 1 : 0;
    }
    const who = new Set();
    let n = 0;
    if (chosen) for (let k = 0; k < pairs.length; k++) if (chosen[k]) { n++; who.add(pairs.first[k]); who.add(pairs.second[k]); }
    note.textContent = !box ? `${count(pairs.length)} pairs. Drag a box around some of them.`
      : `${count(n)} pairs of ${who.size} members. Esc lets go.`;
    view.paint();
    brushed(box ? [...who].sort((a, b) => a - b).map((k) => members.shown[k]) : null);
  }

  const place = (event) => {
    const outer = view.getBoundingClientRect();
    return [event.clientX - outer.left, event.clientY - outer.top];
  };
  let from = null;
  view.addEventListener("pointerdown", (event) => { from = place(event); view.setPointerCapture(event.pointerId); });
  view.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    if (from && Math.hypot(x - from[0], y - from[1]) > 3) {
      const ends = [sx.back(Math.min(x, from[0])), sx.back(Math.max(x, from[0])), sy.back(Math.max(y, from[1])), sy.back(Math.min(y, from[1]))];
      box = ends; show(0, 0, ""); select();
      return;
    }
    let best = -1, least = 20 * 20;
    for (let k = 0; k < pairs.length; k++) {
      const far = (sx(pairs.x[k]) - x) ** 2 + (sy(pairs.y[k]) - y) ** 2;
      if (far < least) { least = far; best = k; }
    }
    if (best === mark) return;
    mark = best; view.paint();
    const i = pairs.first[best], j = pairs.second[best];
    pointed(best < 0 ? null : [i, j]);
    show(x, y, best < 0 ? "" : `${members.names[members.shown[i]]} and ${members.names[members.shown[j]]}\n${kind.alike} ${number(pairs.x[best], 2)}, ` +
      `${kind.word} ${kind.error(members.errors[members.shown[i]])} and ${kind.error(members.errors[members.shown[j]])}`);
  });
  view.addEventListener("pointerup", (event) => {
    const [x, y] = place(event);
    if (from && Math.hypot(x - from[0], y - from[1]) <= 3 && box) { box = null; select(); }
    from = null;
  });
  view.addEventListener("pointerleave", () => { if (!from) { mark = -1; show(0, 0, ""); pointed(null); view.paint(); } });
  // By keys: arrows move the box, shift makes it larger or smaller, Esc lets go.
  view.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { box = null; select(); return; }
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!way) return;
    event.preventDefault();
    const dx = (way[0] * (xs[1] - xs[0])) / 20, dy = (way[1] * (ys[1] - ys[0])) / 20;
    if (!box) box = [xs[0] + (xs[1] - xs[0]) / 3, xs[0] + (2 * (xs[1] - xs[0])) / 3, ys[0] + (ys[1] - ys[0]) / 3, ys[0] + (2 * (ys[1] - ys[0])) / 3];
    else if (event.shiftKey) box = [box[0], Math.max(box[0] + Math.abs(dx || dy), box[1] + dx), box[2], Math.max(box[2], box[3] + dy)];
    else box = [box[0] + dx, box[1] + dx, box[2] + dy, box[3] + dy];
    select();
  });
  note.textContent = `${count(pairs.length)} pairs. Drag a box around some of them.`;
  return {
    element: figure,
    clear() { if (box) { box = null; select(); } },
    // Often it lies below all pairs: then the axis reaches as far, and the line stands where it belongs.
    together(error) {
      together = error;
      if (error < ys[0] || error > ys[1]) {
        const room = 0.06 * (ys[1] - ys[0]);
        ys = [Math.max(0, Math.min(ys[0], error - room)), Math.max(ys[1], error + room)];
        dots = null;
      }
      view.paint();
    },
  };
}
