// The console: it asks for what has changed since the version it shows, and fetches forms when somebody opens them.
"use strict";
(() => {
  const body = document.body;
  const hint = document.getElementById("changed-hint");
  const AGAIN_MS = 2000;

  // --- what has changed, as small data
  let heldSince = "";

  // True if the page is up to date, but for what somebody is typing in; false: it has to be loaded.
  window.roundtapDelta = async () => {
    const { seen } = body.dataset;
    if (!seen) return false;
    const address = new URL(location.href);
    address.hash = "";
    address.searchParams.set("since", seen);
    const answer = await fetch(address, { headers: { Accept: "application/json" }, cache: "no-store" });
    if (!answer.ok || answer.redirected || !answer.headers.get("Content-Type").startsWith("application/json")) return false;
    const said = await answer.json();
    if (said.whole || said.from !== seen) return false;
    const { patch } = window.roundtapLive;
    if (heldSince !== seen && patch(said)) {
      hint.hidden = true;
      return true;
    }
    // Where something is being typed nothing is put anew; all else is. What is held back is asked for again with the next change.
    let all = true;
    for (const one of pieces(said.regions)) all = patch({ from: seen, to: seen, regions: [one] }) && all;
    heldSince = all ? "" : seen;
    if (all) body.dataset.seen = said.to;
    hint.hidden = all;
    return true;
  };

  function* pieces(regions) {
    for (const change of regions) {
      if (change.html !== undefined) { yield change; continue; }
      const { id } = change;
      for (const key of change.gone) yield { id, gone: [key], rows: [] };
      for (const row of change.rows) {
        const there = document.querySelector(`[id="${CSS.escape(id)}"] [data-key="${CSS.escape(row.key)}"]`);
        yield { id, gone: [], rows: [there ? { key: row.key, html: row.html } : row] };
      }
    }
  }

  // --- parts that are opened on demand; what was fetched stays while its row is put anew around it
  const parts = new Map();
  let focused = null;
  let timer = 0;
  document.addEventListener("focusin", ({ target }) => { focused = target; });

  function typedIn(part) {
    if (part.contains(document.activeElement) && document.activeElement.matches("input, textarea, select")) return true;
    return [...part.querySelectorAll("input:not([type=hidden]), textarea")].some((field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked)
      || [...part.querySelectorAll("select")].some((field) => field.selectedIndex > 0 && !field.options[field.selectedIndex].defaultSelected);
  }

  const insideOf = (details) => details.querySelector(":scope > :not(summary)");

  async function fetched(address) {
    const answer = await fetch(address, { headers: { Accept: "text/html" }, cache: "no-store" });
    if (answer.redirected) {
      if (window.roundtapLive.typing()) document.getElementById("changed-hint").hidden = false;
      else location.assign(answer.url);
    }
    if (answer.redirected || !answer.ok) return null;
    return new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("part");
  }

  function plain(part) {
    const copy = part.cloneNode(true);
    for (const ticking of copy.querySelectorAll("[data-ticking]")) ticking.textContent = "";
    return copy.innerHTML;
  }

  async function fill(details) {
    const address = details.dataset.open;
    const known = parts.get(address);
    if (known) put(details, known);
    if (known && (known.answered || typedIn(known.element))) return;
    let fresh = null;
    try { fresh = await fetched(address); } catch (error) { /* The link is still there, and the feed tells of a lost hub. */ }
    const now = document.querySelector(`details[data-open="${CSS.escape(address)}"]`);
    if (!fresh || !now) return;
    const text = plain(fresh);
    const part = parts.get(address);
    if (part && part.text === text) return;
    if (part && typedIn(part.element)) { hint.hidden = false; return; }
    const open = part ? [...part.element.querySelectorAll("details[open][id]")].map((inner) => inner.id) : [];
    const element = document.createElement("div");
    element.className = insideOf(now).className;
    element.append(...document.importNode(fresh, true).childNodes);
    parts.set(address, { element, text });
    put(now, parts.get(address));
    for (const id of open) {
      const inner = document.getElementById(id);
      if (inner) inner.open = true;
    }
    if (window.roundtap) window.roundtap.draw();
  }

  function put(details, part) {
    const inside = insideOf(details);
    if (inside === part.element) return;
    inside.replaceWith(part.element);
    if (focused && part.element.contains(focused) && document.activeElement === body) focused.focus({ preventScroll: true });
  }

  const all = () => document.querySelectorAll("details[data-open]");

  function refresh() {
    timer = 0;
    for (const details of all()) if (details.open) fill(details);
  }

  document.addEventListener("toggle", ({ target }) => {
    if (!target.matches("details[data-open]")) return;
    const part = parts.get(target.dataset.open);
    if (target.open) fill(target);
    else if (part) part.answered = false;
  }, true);

  document.addEventListener("roundtap:swapped", () => {
    for (const details of all()) {
      const part = parts.get(details.dataset.open);
      if (part) put(details, part);
    }
    if (!timer) timer = setTimeout(refresh, AGAIN_MS);
  });

  // A page that answers a form has it open, with what was typed: that stays until somebody closes it.
  for (const details of all()) {
    if (details.open) parts.set(details.dataset.open, { element: insideOf(details), text: "", answered: true });
  }
})();
