// The console's places: "g" and a letter lead to one; menus close; what asks first comes in front of the page.
"use strict";
(() => {
  const GO_MS = 1500;
  let goUntil = 0;

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeMenus(null);
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable], dialog")) return;
    const now = performance.now();
    const to = now < goUntil && [...document.querySelectorAll("[data-go]")].find(({ dataset }) => dataset.go === event.key);
    goUntil = event.key === "g" ? now + GO_MS : 0;
    if (to) { event.preventDefault(); to.click(); }
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
    if (cancel) cancel.closest("details").open = false;
    closeMenus(target.closest("details.menu"));
  });
})();
