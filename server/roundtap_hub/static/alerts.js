// A player's phone is heard and felt when a round is published, time is up or the opponent has reported, once somebody
// has turned that on: browsers play nothing before a press.
"use strict";
(() => {
  const box = document.getElementById("alerts");
  if (!box || !window.roundtapSounds) return;
  const KEY = "roundtap:sound";
  const LATE_MS = 3000;
  // The tones of static/sounds.js, and milliseconds of buzzing and pause.
  const ALERTS = {
    round: ["start", [300]],
    time: ["time", [400, 150, 400]],
    reported: ["reported", [150, 100, 150]],
  };
  const button = box.querySelector("button");
  const words = button.querySelector("[data-on]");
  const off = words.textContent;
  const wanted = () => { try { return localStorage.getItem(KEY) === "1"; } catch (error) { return false; } };
  let on = wanted();
  let context = null;

  // On is only what is heard: after a page was loaded again, many browsers wait for a press anywhere.
  function show() {
    const heard = on && context !== null && context.state === "running";
    button.setAttribute("aria-pressed", String(heard));
    words.textContent = heard ? words.dataset.on : off;
  }

  function open() {
    if (context === null) {
      context = window.roundtapSounds.open();
      context.addEventListener("statechange", show);
    }
    return context.resume().then(show);
  }

  function turn(now) {
    on = now;
    try { localStorage.setItem(KEY, on ? "1" : "0"); } catch (error) { /* It is on as long as this page is open. */ }
  }

  async function alert(moment) {
    if (!on) return;
    const [tones, buzz] = ALERTS[moment];
    if (navigator.vibrate) navigator.vibrate(buzz);
    if (context && context.state === "running") window.roundtapSounds.play(tones);
  }

  button.addEventListener("click", async () => {
    const heard = button.getAttribute("aria-pressed") === "true";
    turn(!heard);
    await open();
    if (on) alert("reported");
  });
  for (const kind of ["click", "keydown"]) document.addEventListener(kind, () => { if (on) open(); });

  const said = (id, name) => { const region = document.getElementById(id); return (region && region.dataset[name]) || ""; };
  const seen = () => ({ round: said("me", "round"), asks: said("my-match", "asks") });
  let before = seen();
  document.addEventListener("roundtap:swapped", () => {
    const now = seen();
    if (now.round && now.round !== before.round) alert("round");
    else if (now.asks && now.asks !== before.asks) alert("reported");
    before = now;
  });
  document.addEventListener("roundtap:phase", ({ detail }) => {
    if (detail.phase === "over" && detail.late_ms <= LATE_MS) alert("time");
  });

  box.hidden = false;
  if (on) open();
  show();
})();
