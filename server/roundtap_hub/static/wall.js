// The wall's pages: turned by the hub's clock, so that two walls turn together.
"use strict";
(() => {
  const pageMs = Number(document.body.dataset.pageMs) || 10000;

  function turn() {
    const pages = document.querySelectorAll("[data-page]");
    if (pages.length === 0 || !window.roundtap || !window.roundtap.known()) return;
    const now = String(Math.floor(window.roundtap.hubNow() / pageMs) % pages.length);
    for (const page of pages) page.classList.toggle("current", page.dataset.page === now);
    for (const mark of document.querySelectorAll("[data-page-index]")) mark.classList.toggle("current", mark.dataset.pageIndex === now);
  }

  document.addEventListener("roundtap:swapped", turn);
  setInterval(turn, 250);
  turn();
})();
