// Small tools: elements, numbers, colours. All text goes in as text, never as markup.
import { MINUS, SPACE, placeTip } from "./shared.js";

// Characters that would act instead of being seen, as counterpoint._text has them.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const SVG = "http://www.w3.org/2000/svg";

export function visible(text) {
  return String(text).replace(HIDDEN, (c) =>
    "\u27e8U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "\u27e9");
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else if (name === "value") element.value = value;
    else if (name === "checked" || name === "disabled" || name === "selected") element[name] = true;
    else element.setAttribute(name, value === true ? "" : visible(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : visible(child));
  }
  return element;
}

export const h = (tag, attributes, ...children) =>
  fill(document.createElement(tag), attributes, children);
export const s = (tag, attributes, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

export function replace(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== false)
    .map((c) => (c instanceof Node ? c : document.createTextNode(visible(c)))));
}

export const count = (n) => Math.round(n).toLocaleString("en").replaceAll(",", "\u202f".normalize());
export const many = (n, word) => count(n) + SPACE + word + (n === 1 ? "" : "s");

// A number in units of the data, with four digits that count, as counterpoint.tabular.words has it.
export function figure(value) {
  if (value === null || value === undefined) return "\u2013";
  const size = Math.abs(value);
  const text = size === 0 ? "0" : size < 1e-4 || size >= 1e9 ? value.toExponential(3)
    : value.toFixed(Math.max(0, 3 - Math.floor(Math.log10(size))));
  return text.replaceAll("-", MINUS);
}
export const short = (text, most) => text.length > most ? text.slice(0, most - 1) + "\u2026" : text;

// Long names lose their middle: the end often tells them apart.
export function squeeze(text, most) {
  const all = [...visible(text)];
  return all.length <= most ? all.join("") : all.slice(0, most - 8).join("") + "\u2026" + all.slice(-7).join("");
}

export function colour(element, name) {
  return getComputedStyle(element).getPropertyValue("--" + name).trim();
}
export const classColour = (k) => "var(--c" + (k % 8) + ")";

// Of many calls made while one is under way only the last is made. How long each took, from the
// first wish to what is drawn, is kept for whoever measures.
export function latest(work, name) {
  let busy = false, next = null;
  return async function run(...given) {
    if (busy) { next = given; return; }
    busy = true;
    const began = performance.now();
    try { await work(...given); } finally {
      busy = false;
      if (performance.getEntriesByName(name).length > 500) performance.clearMeasures(name);
      performance.measure(name, { start: began });
      if (next) { const again = next; next = null; run(...again); }
    }
  };
}

// A canvas as sharp as the screen, drawn again when its size or the theme changes.
export function canvas(label, ratio, draw) {
  const element = h("canvas", { role: "img", "aria-label": label, tabindex: "0" });
  const paint = () => {
    const width = element.clientWidth, height = Math.round(width * ratio);
    if (!width) return;
    const scale = window.devicePixelRatio || 1;
    element.style.height = height + "px";
    if (element.width !== Math.round(width * scale)) element.width = Math.round(width * scale);
    if (element.height !== Math.round(height * scale)) element.height = Math.round(height * scale);
    const context = element.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    draw(context, width, height, element);
  };
  new ResizeObserver(paint).observe(element);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  // However often it is asked for, it is drawn once a frame.
  let asked = false;
  element.paint = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; paint(); });
  };
  return element;
}

export function tip(host) {
  const element = h("div", { class: "tip", role: "status" });
  host.append(element);
  return (x, y, text) => placeTip(element, host, x, y, text ? visible(text) : "");
}
