// What an audit finds amiss: names for those who cannot see, contrast for all.
(() => {
  const found = [];
  const name = (e) => e.getAttribute("aria-label") || e.title || e.textContent.trim()
    || (e.labels && [...e.labels].map(l => l.textContent.trim()).join(""))
    || e.getAttribute("aria-labelledby");
  for (const e of document.querySelectorAll("button, select, input, canvas, svg[role], [role=tabpanel], [role=tablist]"))
    if (!name(e)) found.push("no name: " + e.outerHTML.slice(0, 120));
  const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
  for (const e of document.querySelectorAll("[aria-labelledby], [aria-controls][aria-selected=true], [for]"))
    for (const name of ["aria-labelledby", "aria-controls", "for"])
      if (e.hasAttribute(name) && !document.getElementById(e.getAttribute(name))) found.push("points to nothing: " + e.outerHTML.slice(0, 80));
  // What can be clicked can be reached by keys, in the order it stands.
  for (const e of document.querySelectorAll("[tabindex]")) if (e.tabIndex > 0) found.push("out of order: " + e.outerHTML.slice(0, 80));
  for (const e of document.querySelectorAll("[role=button]")) if (e.tabIndex < 0) found.push("by pointer only: " + e.outerHTML.slice(0, 80));
  for (const e of document.querySelectorAll(".box")) {
    const scrolls = e.checkVisibility() && e.scrollHeight > e.clientHeight + 1;
    if (scrolls && e.tabIndex < 0 && !e.querySelector("button, input, select, a, [tabindex]")) found.push("cannot be scrolled by keys: " + e.outerHTML.slice(0, 80));
  }
  let level = 0;
  for (const e of document.querySelectorAll("h1, h2, h3, h4")) {
    if (!e.checkVisibility()) continue;
    if (Number(e.tagName[1]) > level + 1) found.push("heading leaps: " + e.textContent);
    level = Number(e.tagName[1]);
  }
  if (document.querySelectorAll("main").length !== 1) found.push("no main part, or several");
  for (const id of new Set(ids)) if (ids.filter(i => i === id).length > 1) found.push("twice: " + id);
  const light = (c) => { const v = c.map(x => { x /= 255; return x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4; });
    return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const parse = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
    const d = canvas.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255]; };
  for (const e of document.querySelectorAll(".studio *")) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest("title, :disabled, tr.off, .unseen")) continue;
    let back = null;
    for (let at = e; at && !back; at = at.parentElement) { const b = parse(getComputedStyle(at).backgroundColor); if (b[3] > .99) back = b; }
    const drawn = e.closest("svg");
    if (drawn && e.closest("g.leaf, g.ask")) back = parse(getComputedStyle(e.parentElement.querySelector("rect")).fill);
    const a = light(parse(getComputedStyle(e)[drawn ? "fill" : "color"])), b = light(back || [255, 255, 255]);
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) found.push(ratio.toFixed(2) + " " + e.className + " " + e.textContent.slice(0, 40));
  }
  if (document.documentElement.lang !== "en") found.push("no language");
  return found;
})()
