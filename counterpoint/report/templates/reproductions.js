// Shows the claims whose verdict is ticked; without this script all are shown.
const boxes = document.querySelectorAll("fieldset input");
const show = () => {
  const wanted = new Set([...boxes].filter((box) => box.checked).map((box) => box.value));
  for (const one of document.querySelectorAll("[data-verdict]")) one.hidden = !wanted.has(one.dataset.verdict);
};
for (const box of boxes) box.addEventListener("change", show);
// A link to a part or a claim opens what is folded around it.
const open = () => {
  const at = location.hash && document.getElementById(location.hash.slice(1));
  for (let fold = at && at.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
};
addEventListener("hashchange", open);
open();
