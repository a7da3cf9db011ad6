// The form of an own game: what it means is read anew at each change, and what does not belong to it is out of sight.
"use strict";
(() => {
  const form = document.getElementById("game");
  if (!form) return;
  const SOON_MS = 400;
  let timer = 0;
  let asked = 0;

  function showAsked() {
    const report = form.querySelector('[name="/match/report"]:checked');
    for (const part of form.querySelectorAll("[data-for]")) part.hidden = !report || part.dataset.for !== report.value;
  }

  function openAround(mark) {
    for (let around = mark.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
  }

  // What is wrong is in sight.
  function openWrong() {
    for (const mark of form.querySelectorAll("details .field-problem[data-wrong]")) if (mark.textContent) openAround(mark);
  }

  function tie(row) {
    return form.querySelector(`[name="/tiebreakers/${row}/by"]`);
  }

  // A tiebreaker moves past another one, not past an empty row.
  function showMoves() {
    for (const button of form.querySelectorAll(".moves button")) {
      const row = Number(button.value);
      button.hidden = !(tie(row) && tie(row).value && tie(row - 1).value);
    }
  }

  // In place: whoever moves one goes on with it, by mouse or by keyboard.
  function move(button) {
    const below = Number(button.value);
    const goesUp = button.closest(".tie").contains(tie(below));
    for (const field of form.querySelectorAll(`[name^="/tiebreakers/${below}/"]`)) {
      const other = form.querySelector(`[name="/tiebreakers/${below - 1}${field.name.slice(`/tiebreakers/${below}`.length)}"]`);
      [field.value, other.value] = [other.value, field.value];
    }
    soon();
    const moved = tie(goesUp ? below - 1 : below).closest(".tie").querySelectorAll(".moves button");
    const shown = [...moved].filter((each) => !each.hidden);
    shown[goesUp ? 0 : shown.length - 1].focus();
  }

  // Fields stay as they are: a hand may be in them. A filled last row gets an empty one below it.
  function take(page) {
    const means = document.getElementById("means");
    const open = [...means.querySelectorAll("details[open]")].map((each) => each.id);
    const fresh = document.importNode(page.getElementById("means"), true);
    for (const id of open) {
      const details = fresh.querySelector(`[id="${id}"]`);
      if (details) details.open = true;
    }
    means.replaceWith(fresh);
    const marks = new Map([...page.querySelectorAll("[data-wrong]")].map((mark) => [mark.dataset.wrong, mark]));
    for (const mark of form.querySelectorAll("[data-wrong]")) {
      const now = marks.get(mark.dataset.wrong);
      mark.textContent = now ? now.textContent : "";
      mark.className = now ? now.className : "field-problem";
    }
    for (const rows of form.querySelectorAll("[data-rows]")) {
      const now = page.querySelector(`[data-rows="${rows.dataset.rows}"]`);
      for (const row of [...now.children].slice(rows.children.length)) rows.append(document.importNode(row, true));
    }
    openWrong();
    showAsked();
    showMoves();
  }

  async function look() {
    const mine = ++asked;
    try {
      const answer = await fetch(form.dataset.look, { method: "POST", body: new URLSearchParams(new FormData(form)), headers: { Accept: "text/html" }, cache: "no-store" });
      if (answer.status !== 200 || mine !== asked) return;
      take(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch (error) { /* The button is still there, and the page tells of a lost hub. */ }
  }

  function soon() {
    showAsked();
    showMoves();
    clearTimeout(timer);
    timer = setTimeout(look, SOON_MS);
  }
  form.addEventListener("input", soon);
  form.addEventListener("change", soon);
  form.addEventListener("click", (press) => {
    const link = press.target.closest('#means a[href^="#wrong"]');
    if (link) {
      const mark = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      if (mark) openAround(mark);
    }
    const button = press.target.closest("button");
    if (!button) return;
    if (button.name === "up") {
      press.preventDefault();
      move(button);
    }
    // What is wrong is said here, not in the other tab.
    const wrong = button.id === "try" && form.querySelector("#means .field-problem a");
    if (wrong) {
      press.preventDefault();
      wrong.click();
    }
  });
  openWrong();
  showAsked();
  showMoves();
})();
