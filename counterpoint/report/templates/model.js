// What the page can do beyond being read: all text goes in through textContent, never as markup.
(function () {
  "use strict";
  document.documentElement.classList.add("js");
  const data = JSON.parse(document.getElementById("data").textContent);
{% include "shared.js" %}

  // Classes have errors in percent; of numbers the page says how they are told.
  const alone = (k) => (data.told ? data.told[k] : "error " + percent(data.errors[k]));

  function pairText(i, j, value) {
    const errors = data.told ? data.told[i] + " and " + data.told[j]
      : "errors " + percent(data.errors[i]) + " and " + percent(data.errors[j]);
    return (
      data.names[i] + " and " + data.names[j] + "\n" + (data.measure || "kappa") + " " +
      number(value, 2) + ", " + errors
    );
  }

  const square = document.querySelector(".square");
  const placeOf = [];
  if (data.order) data.order.forEach((member, place) => { placeOf[member] = place; });

  function markPair(i, j) {
    if (!square) return;
    const box = square.querySelector("i");
    const side = 100 / data.order.length;
    box.style.display = i === null ? "none" : "block";
    if (i === null) return;
    box.style.left = "calc(" + placeOf[j] * side + "% - 2px)";
    box.style.top = "calc(" + placeOf[i] * side + "% - 2px)";
    box.style.width = "calc(" + side + "% + 4px)";
    box.style.height = "calc(" + side + "% + 4px)";
  }

  // The cloud: the nearest point within reach of the pointer says which pair it is.
  const cloud = document.getElementById("cloud");
  if (cloud) {
    const svg = cloud.querySelector("svg");
    const tip = cloud.querySelector(".tip");
    const mark = svg.querySelector(".mark");
    const points = Array.from(svg.querySelectorAll(".pairs circle"), (c) => [
      Number(c.getAttribute("cx")), Number(c.getAttribute("cy")),
    ]);
    let chosen = -1;
    const choose = (k) => {
      chosen = k;
      mark.style.display = k < 0 ? "none" : "";
      if (k < 0) { placeTip(tip, cloud, 0, 0, ""); markPair(null); return; }
      const [x, y] = points[k];
      mark.setAttribute("cx", x);
      mark.setAttribute("cy", y);
      const box = svg.getBoundingClientRect(), outer = cloud.getBoundingClientRect();
      const size = box.width / svg.viewBox.baseVal.width;
      const i = data.pairs[0][k], j = data.pairs[1][k];
      placeTip(tip, cloud, box.left - outer.left + x * size, box.top - outer.top + y * size,
        pairText(i, j, data.kappas[k]));
      markPair(i, j);
    };
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const size = box.width / svg.viewBox.baseVal.width;
      const x = (event.clientX - box.left) / size, y = (event.clientY - box.top) / size;
      let best = -1, least = 24 * 24;
      points.forEach((p, k) => {
        const far = (p[0] - x) ** 2 + (p[1] - y) ** 2;
        if (far < least) { least = far; best = k; }
      });
      choose(best);
    });
    svg.addEventListener("pointerleave", () => choose(-1));
    svg.addEventListener("blur", () => choose(-1));
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step || !points.length) return;
      event.preventDefault();
      choose((chosen + step + points.length) % points.length);
    });
  }

  // The matrix: every cell is a pair.
  if (square) {
    const figure = square.closest("figure");
    const tip = figure.querySelector(".tip");
    square.addEventListener("pointermove", (event) => {
      const box = square.getBoundingClientRect(), outer = figure.getBoundingClientRect();
      const n = data.order.length;
      const at = (share) => Math.max(0, Math.min(n - 1, Math.floor(share * n)));
      const column = at((event.clientX - box.left) / box.width);
      const row = at((event.clientY - box.top) / box.height);
      const i = data.order[row], j = data.order[column];
      placeTip(tip, figure, event.clientX - outer.left, event.clientY - outer.top,
        i === j ? data.names[i] + "\n" + alone(i)
          : pairText(i, j, data.matrix[row][column]));
      markPair(i, j);
    });
    square.addEventListener("pointerleave", () => { placeTip(tip, figure, 0, 0, ""); markPair(null); });
  }

  // The slider: what the first members say together.
  const slider = document.getElementById("first");
  if (slider) {
    const growth = data.growth;
    const output = document.getElementById("first-said");
    const line = document.getElementById("first-line"), dot = document.getElementById("first-dot");
    const move = () => {
      const k = Number(slider.value) - 1;
      let text = (k === 0 ? "The first member alone errs on " : "The first " + (k + 1) +
        " members together err on ") + percent(growth.error[k]) + " (" + percent(growth.low[k]) +
        " to " + percent(growth.high[k]) + "), one of them on " + percent(growth.member_error[k]) +
        " on average.";
      if (growth.q && growth.q[k] !== null) text += " Mean Q: " + number(growth.q[k], 2) + ".";
      output.textContent = text;
      line.setAttribute("x1", growth.at[k]);
      line.setAttribute("x2", growth.at[k]);
      dot.setAttribute("cx", growth.at[k]);
      dot.setAttribute("cy", growth.heights[k]);
    };
    slider.addEventListener("input", move);
    move();
  }

  // Tables: a click on a heading sorts, another one turns it round. Blanks stay last.
  document.querySelectorAll("table.sortable").forEach((table) => {
    const headings = Array.from(table.tHead.rows[0].cells);
    headings.forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      while (heading.firstChild) button.appendChild(heading.firstChild);
      heading.appendChild(button);
      button.addEventListener("click", () => {
        const up = heading.getAttribute("aria-sort") !== "ascending";
        headings.forEach((other) => other.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", up ? "ascending" : "descending");
        const keyed = Array.from(table.tBodies[0].rows, (row) => {
          const cell = row.cells[column];
          const text = "v" in cell.dataset ? cell.dataset.v : cell.textContent.trim();
          return { row, text, value: text === "" ? NaN : Number(text) };
        });
        const numbers = keyed.every((k) => k.text === "" || !Number.isNaN(k.value));
        keyed.sort((a, b) => {
          if (a.text === "" || b.text === "") return (a.text === "") - (b.text === "");
          const order = numbers ? a.value - b.value : a.text.localeCompare(b.text);
          return up ? order : -order;
        });
        keyed.forEach((k) => table.tBodies[0].appendChild(k.row));
      });
    });
  });
})();
