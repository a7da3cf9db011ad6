// A player's own page: what is said goes to the hub and counts as said only by the hub's own word; until then it stays
// on this phone, is sent again, and the page says so.
"use strict";
(() => {
  const home = document.body.dataset.me;
  const KEY = `roundtap:unsent:${home}`;
  const SOONEST_MS = 1000;
  const LATEST_MS = 15000;
  const ANSWER_MS = 15000;
  let waitMs = SOONEST_MS;
  let timer = 0;
  let sending = false;

  const box = () => document.getElementById("unsent");

  function kept() {
    try { return JSON.parse(localStorage.getItem(KEY) || "null"); } catch (error) { return null; }
  }

  let here = kept();
  function keep(fields) {
    here = fields;
    try {
      if (fields) localStorage.setItem(KEY, JSON.stringify(fields));
      else localStorage.removeItem(KEY);
    } catch (error) {
      // A browser that keeps nothing: it is said as long as this page is open.
    }
  }

  function tell(title, text, kind) {
    const shown = box();
    if (!shown) return;
    shown.hidden = false;
    shown.className = `unsent ${kind}`;
    // A screen reader reads out what is written, even where the same stood there.
    for (const [part, said] of [["title", title], ["text", text]]) {
      const line = shown.querySelector(`[data-unsent-${part}]`);
      if (line.textContent !== said) line.textContent = said;
    }
    // What cannot be pressed twice is not shown for pressing.
    for (const form of document.querySelectorAll("form[data-report]")) {
      form.hidden = kind !== "refused" && kind !== "lost";
      // live.js has put them out of use as this form was sent.
      if (kind === "refused") for (const button of form.querySelectorAll("button")) button.disabled = false;
    }
  }

  // The hub's own word on this very report: a page that a stranger's network puts in between is none.
  const isEcho = (said, fields) => said && said.report_id === fields.report_id && Number.isInteger(said.number)
    && ["accepted", "refused"].includes(said.fate) && typeof said.title === "string";

  function later() {
    tell(box().dataset.waits, "", "waits");
    clearTimeout(timer);
    // A whole hall comes back at one moment: nobody at the same one.
    timer = setTimeout(send, waitMs * (0.5 + Math.random()));
    waitMs = Math.min(waitMs * 2, LATEST_MS);
  }

  // Only what the network refuses is tried again: a mistake of this script would be made again, too.
  async function send() {
    if (sending || !here) return;
    clearTimeout(timer);
    const fields = here;
    const given = {
      method: "POST", body: new URLSearchParams(fields), headers: { Accept: "application/json" }, cache: "no-store",
      redirect: "error", signal: window.roundtap.within(ANSWER_MS),
    };
    sending = true;
    let answer = null;
    let said = null;
    try {
      answer = await fetch(`${home}/report`, given);
      said = await answer.json();
    } catch (error) {
      // Nobody there, or somebody who speaks another language.
    }
    sending = false;
    if (answer) answered(answer, said, fields);
    else later();
  }

  function answered(answer, said, fields) {
    if (answer.ok && isEcho(said, fields)) {
      keep(null);
      waitMs = SOONEST_MS;
      tell(said.title, said.text, said.fate);
      document.dispatchEvent(new CustomEvent("roundtap:said", { detail: said }));
      if (window.roundtapLive && document.body.dataset.feed) window.roundtapLive.look();
      arrived(said);
    } else if (said && typeof said.error === "string" && [400, 409].includes(answer.status)) {
      // The hub has looked at it and will never take it.
      keep(null);
      tell(said.error, "", "refused");
    } else if ([404, 410].includes(answer.status) && answer.headers.get("Referrer-Policy") === "no-referrer") {
      keep(null);
      location.assign(home);
    } else {
      later();
    }
  }

  // On a page of the walk there is nothing more to do: the way back to the table.
  function arrived(said) {
    const card = document.querySelector(".walk .card");
    if (card && said.fate === "accepted") for (const part of document.querySelectorAll(".walk .card, .walk .known, .walk-back")) part.hidden = true;
  }

  // Until the press is this script's, all that could fail has been done: else the browser sends the form itself.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form[data-report]")) return;
    const fields = {};
    new FormData(form).forEach((value, name) => { fields[name] = value; });
    event.preventDefault();
    // What waits is said first: one thing after the other.
    if (here || sending) return;
    keep(fields);
    tell(box().dataset.sending, "", "sending");
    send().catch(() => { keep(null); form.submit(); });
  });

  // Enter presses a form's first button, too.
  let pressed = null;
  document.addEventListener("click", ({ target }) => { pressed = target.closest("button"); }, true);

  // A step of the walk without contact: the page stays, with all that was answered.
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.matches(".walk form[method=get]")) return;
    const query = new URLSearchParams(new FormData(form));
    if (pressed && pressed.form === form && pressed.name) query.append(pressed.name, pressed.value);
    const address = `${form.getAttribute("action")}?${query}`;
    const asked = fetch(address, { headers: { Accept: "text/html" }, cache: "no-store", signal: window.roundtap.within(ANSWER_MS) });
    event.preventDefault();
    let answer = null;
    let text = "";
    try {
      answer = await asked;
      text = await answer.text();
    } catch (error) {
      answer = null;
    }
    try {
      if (answer && step(text, address)) return;
    } catch (error) {
      location.assign(address);
      return;
    }
    // A page of this hub that is no step is shown as the browser shows pages; a stranger's is none.
    if (answer && answer.headers.get("Referrer-Policy") === "no-referrer") { location.assign(address); return; }
    tell(box().dataset.step, "", "lost");
    // live.js has put the buttons out of use for a page that does not come.
    setTimeout(() => form.querySelectorAll("button").forEach((button) => { button.disabled = false; }), 0);
  });

  // True where the answer is this player's page.
  function step(text, address) {
    const page = new DOMParser().parseFromString(text, "text/html");
    const fresh = page.getElementById("main");
    if (page.body.dataset.me !== home || !fresh) return false;
    document.getElementById("main").replaceWith(document.importNode(fresh, true));
    document.title = page.title;
    history.pushState(null, "", address);
    const first = ["[role=alert]", "[autofocus]", ".walk h2"].map((each) => document.querySelector(each)).find(Boolean);
    if (first) { if (first.matches("h2")) first.tabIndex = -1; first.focus(); }
    scrollTo(0, 0);
    resume();
    return true;
  }
  // Other players' pages have this script, too: there a skip link is no reason to load anew.
  if (home) window.addEventListener("popstate", () => location.reload());

  function resume() {
    if (here) { tell(box().dataset.waits, "", "waits"); send(); }
  }

  window.addEventListener("online", () => { waitMs = SOONEST_MS; send(); });
  document.addEventListener("roundtap:connected", () => { if (here) { clearTimeout(timer); timer = setTimeout(send, Math.random() * SOONEST_MS); } });
  document.addEventListener("roundtap:swapped", () => { if (here) tell(box().dataset.waits, "", "waits"); });
  resume();
})();
