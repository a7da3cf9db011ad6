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

  // What is wrong is in sight.
  function openWrong() {
    for (const mark of form.querySelectorAll("details [data-wrong]")) {
      for (let around = mark.textContent && mark.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
    }
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
    const marks = new Map([...page.querySelectorAll("[data-wrong]")].map((mark) => [mark.dataset.wrong, mark.textContent]));
    for (const mark of form.querySelectorAll("[data-wrong]")) mark.textContent = marks.get(mark.dataset.wrong) || "";
    for (const rows of form.querySelectorAll("[data-rows]")) {
      const now = page.querySelector(`[data-rows="${rows.dataset.rows}"]`);
      for (const row of [...now.children].slice(rows.children.length)) rows.append(document.importNode(row, true));
    }
    openWrong();
    showAsked();
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
    clearTimeout(timer);
    timer = setTimeout(look, SOON_MS);
  }
  form.addEventListener("input", soon);
  form.addEventListener("change", soon);
  openWrong();
  showAsked();
})();
