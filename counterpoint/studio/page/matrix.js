// Who agrees with whom: a dot a pair, those alike beside each other.
import { h, canvas, colour, tip } from "./dom.js";
import { number } from "./shared.js";

const ALIKE = [213, 94, 0], APART = [0, 114, 178];

export function matrix(members, kind) {
  const order = members.order, n = order.length, alike = members.alike;
  let far = 0;
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) if (i !== j && alike[i][j] !== null) far = Math.max(far, Math.abs(alike[i][j]));
  far = far || 1;
  const picture = new OffscreenCanvas(n, n);
  const context = picture.getContext("2d");
  const pixels = context.createImageData(n, n);
  order.forEach((i, row) => order.forEach((j, column) => {
    const at = 4 * (row * n + column), value = alike[i][j];
    const [r, g, b] = value === null ? [128, 128, 128] : value < 0 ? APART : ALIKE;
    pixels.data.set([r, g, b, value === null ? 90 : Math.round(255 * Math.min(1, Math.abs(value) / far) ** 2)], at);
  }));
  context.putImageData(pixels, 0, 0);
  let on = null, marked = null;
  const view = canvas("Agreement of every two members, those alike beside each other.", 1, (c, width, height, element) => {
    c.imageSmoothingEnabled = false;
    c.drawImage(picture, 0, 0, width, height);
    const side = width / n;
    if (on) {
      c.fillStyle = colour(element, "card"); c.globalAlpha = 0.78;
      order.forEach((i, place) => {
        if (on.has(i)) return;
        c.fillRect(0, place * side, width, side + 0.5);
        c.fillRect(place * side, 0, side + 0.5, height);
      });
      c.globalAlpha = 1;
    }
    if (marked) {
      c.strokeStyle = colour(element, "ink"); c.lineWidth = 2;
      const [i, j] = marked.map((k) => order.indexOf(k));
      for (const [a, b] of [[i, j], [j, i]]) c.strokeRect(a * side - 1, b * side - 1, side + 2, side + 2);
    }
  });
  const figure = h("figure", { class: "matrix" }, view, h("figcaption", {}, kind.alikeNote));
  const show = tip(figure);
  view.addEventListener("pointermove", (event) => {
    const outer = view.getBoundingClientRect();
    const at = (share) => Math.max(0, Math.min(n - 1, Math.floor(share * n)));
    const x = event.clientX - outer.left, y = event.clientY - outer.top;
    const i = order[at(y / outer.height)], j = order[at(x / outer.width)];
    const name = (k) => members.names[members.shown[k]], error = (k) => kind.error(members.errors[members.shown[k]]);
    show(x, y, i === j ? `${name(i)}\n${kind.word} ${error(i)}` : `${name(i)} and ${name(j)}\n${kind.alike} ${number(alike[i][j], 2)}, ${kind.word} ${error(i)} and ${error(j)}`);
  });
  view.addEventListener("pointerleave", () => show(0, 0, ""));
  const placeOf = new Map(members.shown.map((m, k) => [m, k]));
  return {
    element: figure,
    only(chosen) { on = chosen && new Set(chosen.map((m) => placeOf.get(m))); view.paint(); },
    mark(pair) { marked = pair; view.paint(); },
  };
}
