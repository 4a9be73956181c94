// What an audit finds amiss: names for those who cannot see, contrast for all.
(() => {
  const found = [];
  const name = (e) => e.getAttribute("aria-label") || e.title || e.textContent.trim()
    || (e.labels && [...e.labels].map(l => l.textContent.trim()).join(""))
    || e.getAttribute("aria-labelledby");
  for (const e of document.querySelectorAll("button, select, input, canvas, svg[role], [role=tabpanel], [role=tablist]"))
    if (!name(e)) found.push("no name: " + e.outerHTML.slice(0, 120));
  const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
  for (const id of new Set(ids)) if (ids.filter(i => i === id).length > 1) found.push("twice: " + id);
  const light = (c) => { const v = c.map(x => { x /= 255; return x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4; });
    return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const parse = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
    const d = canvas.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255]; };
  for (const e of document.querySelectorAll(".studio *")) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest("svg, :disabled, tr.off, .unseen, .brush")) continue;
    let back = null;
    for (let at = e; at && !back; at = at.parentElement) { const b = parse(getComputedStyle(at).backgroundColor); if (b[3] > .99) back = b; }
    const a = light(parse(getComputedStyle(e).color)), b = light(back || [255, 255, 255]);
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) found.push(ratio.toFixed(2) + " " + e.className + " " + e.textContent.slice(0, 40));
  }
  if (document.documentElement.lang !== "en") found.push("no language");
  return found;
})()
