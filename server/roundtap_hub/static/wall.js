// The wall's pages: turned by the hub's clock, so that two walls turn together. The countdown is in clock.js.
"use strict";
(() => {
  const pageMs = Number(document.body.dataset.pageMs) || 10000;
  const timeUpMs = Number(document.body.dataset.timeUpMs);
  // Nobody waits a minute for their name: many pages turn a little faster.
  const MANY = 5;
  const SWIFT = 0.7;

  function turn() {
    const fitted = document.querySelectorAll("#fitted > .wall-page");
    const pages = [...(fitted.length ? fitted : document.querySelectorAll("[data-page]"))];
    // Some pages have more turns than others.
    const turns = pages.flatMap((page) => Array(Number(page.dataset.turns) || 1).fill(page));
    const known = window.roundtap.known();
    const step = known ? Math.floor(window.roundtap.hubNow() / (turns.length < MANY ? pageMs : pageMs * SWIFT)) : 0;
    const now = known || fitted.length ? turns[step % turns.length] : null;
    if (now) {
      for (const page of pages) page.classList.toggle("current", page === now);
      document.querySelectorAll(".wall-index > span").forEach((mark, place) => mark.classList.toggle("current", pages[place] === now));
    }
    const shown = document.querySelector("[data-shown]");
    if (!shown) return;
    const title = (now && now.dataset.title) || shown.dataset.shown;
    if (shown.textContent !== title) shown.textContent = title;
  }

  // The last minutes colour the screen, and time up fills it for a while. A round that is over ends at no time to come.
  function time() {
    const face = document.querySelector("main [data-clock], #time [data-clock]");
    const word = document.querySelector("[data-phase-of]");
    const phase = word ? word.dataset.phase : "";
    const { state = "idle", deadline } = face ? face.dataset : {};
    const isOver = state === "running" && phase === "over" && window.roundtap.known();
    const isNews = isOver && window.roundtap.hubNow() - Number(deadline) < timeUpMs && !!document.querySelector("#time-up p");
    const root = document.documentElement;
    const isLast = state === "running" && !isOver && window.roundtap.known() && Number(deadline) - window.roundtap.hubNow() <= window.roundtap.LAST_MS;
    root.classList.toggle("last-five", isLast);
    if (root.classList.contains("time-up") !== isNews) {
      root.classList.toggle("time-up", isNews);
      fit();
    }
    const line = document.getElementById("ends");
    if (line) window.roundtap.hide(line, ["over", "last_minutes"].includes(phase) || !["idle", "running"].includes(state));
  }

  // What is not shown has no size.
  function fit() {
    if (!document.documentElement.classList.contains("time-up")) window.roundtapFit.fit();
  }

  function show() {
    fit();
    turn();
    time();
  }

  document.addEventListener("roundtap:swapped", show);
  // An announcement that comes or goes leaves less room, or more.
  let room = "";
  function roomy() {
    const now = ["said", "main"].map((id) => document.getElementById(id)).map((each) => `${each.clientWidth} ${each.clientHeight}`).join();
    if (now !== room) { room = now; show(); }
  }
  document.addEventListener("roundtap:clock", time);
  window.roundtap.everySecond(() => { roomy(); turn(); time(); });
  window.roundtapWall = { turn };
  roomy();
  if (window.roundtapRuns) window.roundtapRuns = [];
})();
