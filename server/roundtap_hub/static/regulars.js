// Check-in: what is typed narrows the regulars; a tap enters one or checks in a player, or takes that back, and nothing moves.
"use strict";
(() => {
  const field = document.getElementById("name");
  // The second press of a double click means the first one.
  const TWICE_MS = 500;
  const pressed = new Map();
  let looking = null;

  // The answer is this very page as it is now; of several that were asked for only the last one counts.
  async function show(asked) {
    looking = asked;
    const answer = await asked;
    const text = await answer.text();
    if (looking !== asked) return false;
    const page = new DOMParser().parseFromString(text, "text/html");
    window.roundtapLive.sayDone(answer, page);
    if (!page.getElementById("regulars")) { location.reload(); return false; }
    for (const old of document.querySelectorAll("main > .problem")) old.remove();
    const problem = page.querySelector("main > .problem");
    if (problem) document.getElementById("changed-hint").before(document.importNode(problem, true));
    window.roundtapLive.take(page);
    return !problem;
  }

  function typed(text) {
    const at = new URL(location.href);
    at.searchParams.delete("q");
    if (text) at.searchParams.set("q", text);
    history.replaceState(null, "", at);
    return at;
  }

  const find = (text) => show(fetch(typed(text), { headers: { Accept: "text/html" }, cache: "no-store" })).catch(() => {});
  if (field) field.addEventListener("input", () => find(field.value.trim()));

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    // What is typed may be longer than what the page has been asked for yet.
    if (form.elements.names && field.value.trim()) form.elements.names.value = field.value.trim();
    if (!form.matches(".regulars form, .door form")) return;
    event.preventDefault();
    const button = form.querySelector("button");
    const { id } = button;
    if (performance.now() < (pressed.get(id) || 0)) {
      // live.js puts it out of use, as if the form were sent.
      setTimeout(() => { button.disabled = false; }, 0);
      return;
    }
    pressed.set(id, performance.now() + TWICE_MS);
    const body = new URLSearchParams(new FormData(form));
    // First: what the feed asks for from now on is the whole list again.
    typed("");
    try {
      const done = await show(fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" }, cache: "no-store" }));
      const found = done && field && field.value;
      if (found) field.value = "";
      const next = found ? field : document.getElementById(id);
      // Whoever went on to another field meanwhile stays there.
      const { activeElement } = document;
      if (next && (activeElement === document.body || activeElement.id === id)) next.focus({ preventScroll: true });
    } catch (error) {
      // The feed tells of a lost hub; the button can be pressed again.
    }
    button.disabled = false;
  });

  // Down into the list of what is typed, even where it has not come yet; Enter waits for it, too.
  let going = null;
  async function down() {
    const text = field.value.trim();
    if (document.getElementById("regulars").dataset.q !== text) await find(text);
    const first = document.querySelector("#regulars button");
    if (first) first.focus();
    return first;
  }

  document.addEventListener("keydown", (event) => {
    if (event.target !== field) return;
    if (event.key === "ArrowDown") {
      going = down();
      going.then(() => { going = null; });
    }
    if (event.key === "Enter" && going) {
      event.preventDefault();
      going.then((first) => { if (first) first.click(); });
    }
    if (event.key === "Escape") field.blur();
  });
})();
