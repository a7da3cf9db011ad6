// A player's phone without contact keeps its page: a press asks the hub first whether it is there, and waits for it.
"use strict";
(() => {
  const box = document.getElementById("keep-open");
  if (!box || !window.fetch) return;
  const ANSWER_MS = 15000;
  const AGAIN_MS = 3000;
  // These keep what was said, and send it later: me.js.
  const OWN_WAY = "form[data-report], .walk form[method=get]";
  let asking = false;
  let looking = false;
  let timer = 0;
  let through = null;

  const ask = () => fetch("/time", { cache: "no-store", redirect: "error", signal: window.roundtap.within(ANSWER_MS) });

  // What a stranger's network answers is no hub.
  async function isThere(asked) {
    try { return Number.isFinite((await (await asked).json()).now_ms); } catch (error) { return false; }
  }

  // What leads to another page: a link or a form's button; null for any other press.
  function leading(event) {
    const control = event.target.closest("a[href], button");
    if (!control || box.contains(control) || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return null;
    if (control.matches("button")) return control.type === "submit" && control.form && !control.form.matches(OWN_WAY) ? control : null;
    return control.origin === location.origin && !control.target && !/^#/.test(control.getAttribute("href")) ? control : null;
  }

  function back() {
    looking = false;
    clearTimeout(timer);
    document.body.classList.remove("unreachable");
  }

  async function look() {
    if (!looking) return;
    if (await isThere(ask())) back();
    else lookLater();
  }

  // A whole hall looks: nobody at the same moment, and each phone once.
  function lookLater() {
    clearTimeout(timer);
    timer = setTimeout(look, AGAIN_MS * (0.5 + Math.random()));
  }

  // The link in it is never held back: nobody depends on this script's own view of the network.
  function stay(to) {
    box.querySelector("a").href = to;
    document.body.classList.add("unreachable");
    if (looking) return;
    looking = true;
    lookLater();
  }

  // Where the page has changed meanwhile, the button that does the same stands for the pressed one.
  function asItIsNow(control) {
    if (control.isConnected || !control.form) return control;
    const alike = (one) => one.form && one.form.action === control.form.action && one.name === control.name
      && one.value === control.value && one.textContent === control.textContent;
    return [...document.querySelectorAll("button")].find(alike);
  }

  document.addEventListener("click", async (event) => {
    const control = leading(event);
    if (!control || control === through) { through = null; return; }
    if (asking) { event.preventDefault(); return; }
    const asked = ask();
    event.preventDefault();
    asking = true;
    if (window.roundtapLive) window.roundtapLive.asks();
    const there = await isThere(asked);
    asking = false;
    if (window.roundtapLive) window.roundtapLive.asks(Infinity);
    if (there) {
      back();
      through = asItIsNow(control);
      if (through) through.click();
      return;
    }
    stay(control.href || location.href);
  });
  document.addEventListener("roundtap:connected", back);
  window.addEventListener("online", look);
  window.addEventListener("offline", async () => { if (!await isThere(ask())) stay(location.href); });
})();
