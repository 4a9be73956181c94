// What pages that are read and the one that answers have in common: numbers, and tips.
const MINUS = "\u2212", SPACE = "\u00a0";
const percent = (share, digits = 1) =>
  share === null || share === undefined ? "\u2013"
    : (100 * share).toFixed(digits).replace("-", MINUS) + SPACE + "%";
const number = (value, digits = 3) =>
  value === null || value === undefined ? "\u2013" : value.toFixed(digits).replace("-", MINUS);

// Say something beside a place of a figure, inside its borders; no text hides the tip.
function placeTip(tip, figure, x, y, text) {
  tip.textContent = text;
  if (!text) return;
  tip.style.left = Math.max(0, Math.min(x + 14, figure.clientWidth - tip.offsetWidth - 2)) + "px";
  const above = y - tip.offsetHeight - 12;
  tip.style.top = (above < 0 ? y + 16 : above) + "px";
}
