// The console's places: "g" and a letter lead to one; "?" shows the keys; menus close; what asks first comes in front.
"use strict";
(() => {
  const GO_MS = 1500;
  let goUntil = 0;

  const ways = () => [...document.querySelectorAll("[data-go]")];

  function go(key) {
    const now = performance.now();
    const to = now < goUntil && ways().find(({ dataset }) => dataset.go === key);
    goUntil = key === "g" ? now + GO_MS : 0;
    if (to) to.click();
    return to;
  }

  // --- the list of keys, made of the table that the code goes by
  const list = document.getElementById("keys");
  let before = null;

  function line(shown, text) {
    const row = document.createElement("div");
    const term = document.createElement("dt");
    for (const key of shown.split(" ")) {
      const cap = document.createElement("kbd");
      cap.textContent = key;
      term.append(cap, " ");
    }
    const what = document.createElement("dd");
    what.textContent = text;
    row.append(term, what);
    return row;
  }

  function showKeys() {
    const menu = document.activeElement.closest("details.menu");
    before = menu ? menu.querySelector("summary") : document.activeElement;
    const lines = document.getElementById("keys-lines");
    lines.textContent = "";
    for (const { shown, text } of window.roundtapKeys) {
      if (text === "go") for (const way of ways()) lines.append(line(`g ${way.dataset.go}`, (way.querySelector("span") || way).textContent.trim()));
      else if (text) lines.append(line(shown, list.dataset[text]));
    }
    if (list.showModal) list.showModal();
    else list.setAttribute("open", "");
    list.querySelector("button").focus();
    return true;
  }

  function hideKeys() {
    if (list.close) list.close();
    else list.removeAttribute("open");
    if (before) before.focus({ preventScroll: true });
  }

  // "g" is first: the letter after it may be a key of its own.
  window.roundtapKeys.unshift({ text: "go", fits: /./, does: go });
  window.roundtapKeys.push({ shown: "?", text: "list", fits: /^\?$/, does: showKeys });
  window.roundtapKeys.push({ shown: "Esc", text: "close", fits: /^Escape$/, does: () => false });
  for (const button of document.querySelectorAll("[data-keys]")) button.hidden = false;
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    closeMenus(null);
    if (list.hasAttribute("open")) { event.preventDefault(); hideKeys(); }
  });

  function closeMenus(but) {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (menu !== but) menu.open = false;
  }

  // Without scripts the question opens in place, below its button.
  document.addEventListener("toggle", ({ target }) => {
    if (!target.matches("details")) return;
    const dialog = target.querySelector(":scope > dialog");
    if (!dialog || !dialog.showModal) return;
    if (target.open && !dialog.open) dialog.showModal();
    else if (!target.open && dialog.open) dialog.close();
  }, true);
  document.addEventListener("close", ({ target }) => {
    const details = target.matches("details > dialog") && target.parentElement;
    if (!details || !details.open) return;
    details.open = false;
    details.querySelector("summary").focus({ preventScroll: true });
  }, true);
  // An address that names a part opens it; a field takes the keys.
  function arrive() {
    const at = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (at && at.matches("details")) at.open = true;
    if (at && at.matches("input, textarea")) at.focus();
  }
  window.addEventListener("hashchange", arrive);
  // Safari shows today, pale, in a field for a date that has none: styled as empty until it is used.
  function markDates() {
    for (const field of document.querySelectorAll("input[type^=date]")) field.classList.toggle("blank", !field.value && !field.validity.badInput);
  }
  document.addEventListener("input", markDates);
  // A name typed before the game is chosen goes on to that game's form.
  document.addEventListener("input", ({ target }) => {
    if (!target.matches("#new [name=name]")) return;
    for (const hidden of document.querySelectorAll("#own [name=name]")) hidden.value = target.value;
    for (const game of document.querySelectorAll(".games a[href*='rulebook=']")) {
      const to = new URL(game.href);
      to.searchParams.set("name", target.value);
      game.href = to;
    }
  });
  document.addEventListener("DOMContentLoaded", markDates);
  // What is typed replaces the figure that stands there.
  const figure = document.querySelector("main input[type=number][autofocus]");
  if (figure) figure.select();
  document.addEventListener("DOMContentLoaded", arrive);

  document.addEventListener("click", ({ target }) => {
    const cancel = target.closest("[data-cancel]");
    if (cancel && cancel.closest("#keys")) hideKeys();
    else if (cancel) cancel.closest("details").open = false;
    if (target.closest("[data-keys]")) showKeys();
    closeMenus(target.closest("details.menu"));
  });
})();
