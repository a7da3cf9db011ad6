// The wall's pages: turned by the hub's clock, so that two walls turn together. The countdown is in clock.js.
"use strict";
(() => {
  const pageMs = Number(document.body.dataset.pageMs) || 10000;
  // Nobody waits a minute for their name: many pages turn a little faster.
  const MANY = 5;
  const SWIFT = 0.7;

  function turn() {
    const fitted = document.querySelectorAll("#fitted > .wall-page");
    const pages = fitted.length ? fitted : document.querySelectorAll("[data-page]");
    if (pages.length === 0 || !window.roundtap || !window.roundtap.known()) {
      fitted[0]?.classList.add("current");
      return;
    }
    const now = Math.floor(window.roundtap.hubNow() / (pages.length < MANY ? pageMs : pageMs * SWIFT)) % pages.length;
    pages.forEach((page, place) => page.classList.toggle("current", place === now));
    document.querySelectorAll(".wall-index > span").forEach((mark, place) => mark.classList.toggle("current", place === now));
  }

  // A round that is over ends at no time to come.
  function ends() {
    const line = document.getElementById("ends");
    const phase = document.querySelector("#picture [data-phase-of]")?.dataset.phase;
    const state = document.querySelector("#picture [data-clock]")?.dataset.state || "idle";
    if (line) line.hidden = ["over", "last_minutes"].includes(phase) || !["idle", "running"].includes(state);
  }

  function show() {
    window.roundtapFit.fit();
    turn();
  }

  document.addEventListener("roundtap:swapped", show);
  // An announcement that comes or goes leaves less room, or more.
  const room = new ResizeObserver(show);
  for (const id of ["said", "main"]) room.observe(document.getElementById(id));
  setInterval(() => { turn(); ends(); }, 250);
  window.roundtapWall = { turn };
  show();
})();
