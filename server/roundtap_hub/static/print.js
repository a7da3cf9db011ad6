// A sheet's one button: the browser's own print dialog, which without scripts the browser's menu has. And the numbers of
// pages where the browser writes none into the margins of the paper.
"use strict";
(() => {
  for (const button of document.querySelectorAll("[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => window.print());
  }

  const main = document.getElementById("main");
  if (typeof CSSMarginRule !== "undefined" || main.querySelector(".slip-sheet")) return;
  const MM = 96 / 25.4;
  // Paper without its margins, the line for the number, and what printers round. static/print.css has the margins.
  const FULL = ((document.documentElement.classList.contains("a5") ? 191 : 271) - 14) * MM;

  // What is never broken, with its table, where it is one of its rows.
  function parts() {
    const rows = (table) => [...table.tBodies].reduce((all, body) => all.concat(body.matches(".together") ? body : [...body.rows]), []);
    return [...main.children].reduce((all, one) => all.concat(one.matches("table") ? rows(one).map((row) => [row, one]) : [[one, null]]), []);
  }

  function line(like) {
    const row = like && like.matches("tr, tbody");
    const number = document.createElement(row ? like.tagName : "p");
    number.className = "page-number";
    const cell = row ? document.createElement("td") : number;
    if (row) {
      cell.colSpan = like.closest("table").tHead.rows[0].cells[0].colSpan;
      if (like.matches("tr")) number.append(cell);
      else number.insertRow().append(cell);
    }
    return number;
  }

  function writeNumbers() {
    for (const old of main.querySelectorAll(".page-number")) old.remove();
    for (const old of main.querySelectorAll(".new-page")) old.classList.remove("new-page");
    // As wide as on paper: a small screen has broken other lines.
    main.style.maxWidth = "none";
    let start = null;
    let before = null;
    const begun = [];
    for (const [part, table] of parts()) {
      const box = part.getBoundingClientRect();
      const leads = table !== null && table !== before;
      before = table;
      const top = leads ? table.getBoundingClientRect().top : box.top;
      if (start === null) start = top;
      if (box.bottom - start <= FULL) continue;
      if (top === start) continue;
      begun.push(leads ? table : part);
      // The head of a table stands on each of its pages.
      start = top - (table && !leads ? table.tHead.offsetHeight : 0);
    }
    main.style.maxWidth = "";
    for (const part of begun) {
      part.before(line(part.matches("table") ? null : part));
      part.classList.add("new-page");
    }
    main.append(line(null));
    const numbers = main.querySelectorAll(".page-number");
    numbers.forEach((number, at) => { (number.querySelector("td") || number).textContent = `${at + 1} / ${numbers.length}`; });
  }

  writeNumbers();
  window.addEventListener("beforeprint", writeNumbers);
})();
