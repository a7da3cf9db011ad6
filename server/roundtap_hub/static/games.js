// The form of an own game: what it means is read anew at each change, and what does not belong to it is out of sight.
"use strict";
(() => {
  const form = document.getElementById("game");
  if (!form) return;
  const SOON_MS = 400;
  let timer = 0;
  let asked = 0;

  // What a choice leaves out is out of sight, and says nothing.
  function showAsked() {
    for (const part of form.querySelectorAll("[data-if]")) {
      const [name, values] = part.dataset.if.split("=");
      const chosen = form.querySelector(`[name="${name}"]:checked, select[name="${name}"]`);
      part.hidden = !chosen || !values.split(" ").includes(chosen.value);
    }
    const second = [...form.querySelectorAll('input[name^="/match/figure/1/"]')].some((field) => field.value.trim());
    const points = form.querySelector('[name="/match/report"]:checked');
    for (const part of form.querySelectorAll("[data-second]")) part.hidden = !second || !points || points.value !== "points";
    for (const field of form.querySelectorAll("input, select, textarea")) {
      field.disabled = Boolean(field.closest("[data-if][hidden], [data-second][hidden]"));
    }
  }

  function openAround(mark) {
    for (let around = mark.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
  }

  // What is wrong is in sight.
  function openWrong() {
    for (const mark of form.querySelectorAll("details .field-problem[data-wrong]")) if (mark.textContent) openAround(mark);
  }

  // A field of a list is called in files as it is called here, until somebody types that.
  function callField(field) {
    const label = /^(\/list\/fields\/\d+)\/(label|key)/.exec(field.name);
    if (!label) return;
    const key = form.querySelector(`[name="${label[1]}/key"]`);
    if (label[2] === "key") key.dataset.typed = "1";
    if (key.dataset.typed || (key.value && !key.dataset.made)) return;
    key.dataset.made = "1";
    key.value = field.value.normalize("NFD").toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^[^a-z]+|_$/g, "").slice(0, 24) || (field.value.trim() && `field_${label[1].split("/")[3]}`);
  }

  // In a form of its own: this one is not sent, and may be sent once more.
  function tryIt(button) {
    const apart = document.createElement("form");
    apart.method = "post";
    apart.action = button.formAction;
    apart.target = button.formTarget;
    apart.hidden = true;
    for (const [name, text] of new FormData(form)) {
      const field = apart.appendChild(document.createElement("input"));
      field.type = "hidden";
      field.name = name;
      field.value = text;
    }
    document.body.append(apart);
    apart.submit();
    apart.remove();
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
    const moved = tie(goesUp ? below - 1 : below);
    const again = moved.closest(".tie").querySelector(`.moves button[value="${goesUp ? below - 1 : below + 1}"]`);
    (again && !again.hidden ? again : moved).focus();
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
      for (const row of now ? [...now.children].slice(rows.children.length) : []) rows.append(document.importNode(row, true));
    }
    // What the numbers are called.
    for (const option of form.querySelectorAll('[name$="/of"] option')) {
      const named = page.querySelector(`[name="${option.parentElement.name}"] option[value="${option.value}"]`);
      if (named) option.textContent = named.textContent;
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
  form.addEventListener("input", (typed) => { callField(typed.target); soon(); });
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
    if (button.id === "try") {
      press.preventDefault();
      // What is wrong is said here, not in the other tab.
      const wrong = form.querySelector("#means .field-problem a");
      if (wrong) wrong.click();
      else tryIt(button);
    }
  });
  // Going back, a browser fills the fields after the page has come.
  window.addEventListener("pageshow", () => { showAsked(); showMoves(); });
  openWrong();
  showAsked();
  showMoves();
})();
