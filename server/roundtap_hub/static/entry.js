// Results by hand: digits typed anywhere open the foot of the console, and Enter leads from table to table.
"use strict";
(() => {
  const drawer = document.getElementById("entry-drawer");
  if (!drawer) return;
  const body = drawer.querySelector("[data-entry-body]");
  const opening = drawer.querySelector("form");
  const number = opening.elements.table;
  const parser = new DOMParser();
  let before = null;
  let asked = 0;
  let sending = true;
  let pressed = null;

  const text = () => body.querySelector("#entry-text");
  const address = () => new URL(drawer.dataset.entry, location.href);

  function up() {
    if (!drawer.hidden) return;
    before = document.activeElement;
    drawer.hidden = false;
    document.documentElement.classList.add("entering");
  }

  function leave() {
    asked += 1;
    drawer.hidden = true;
    document.documentElement.classList.remove("entering");
    body.textContent = "";
    number.value = "";
    if (before && before !== document.body && before.isConnected) before.focus({ preventScroll: true });
    else if (document.activeElement) document.activeElement.blur();
  }

  // What is read is asked for without its frame, which is open here already.
  const alone = { headers: { Accept: "text/html", "Roundtap-Part": "1" } };

  // What a page of this address shows; null where the hub says nothing of it, or something newer was asked for.
  async function part(where, sent) {
    const mine = ++asked;
    let answer;
    try {
      answer = await fetch(where, { headers: { Accept: "text/html" }, cache: "no-store", ...sent });
    } catch (error) {
      // The feed tells of a lost hub, and what was typed stands: Enter tries again.
      drawer.classList.add("unsent");
      return null;
    }
    drawer.classList.remove("unsent");
    const page = parser.parseFromString(await answer.text(), "text/html");
    if (sent && sent.form) window.roundtapLive.sayDone(answer, page);
    const found = page.getElementById("part");
    // Sent by the browser itself, the login that has ended comes back with what was typed.
    if (!found && sent && sent.form && answer.status === 401) { sent.form.submit(); return null; }
    if (!found && answer.redirected) { location.assign(answer.url); return null; }
    if (mine !== asked || !found) return null;
    const problem = page.querySelector("main > .problem");
    if (problem) found.prepend(problem);
    return found;
  }

  const fresh = (found, selector) => {
    const there = body.querySelector(selector);
    const is = found.querySelector(selector);
    if (there && is) there.replaceWith(document.importNode(is, true));
  };

  function show(found) {
    body.textContent = "";
    body.append(...document.importNode(found, true).childNodes);
    const field = text();
    if (field) {
      number.value = field.form.elements.table.value;
      field.focus({ preventScroll: true });
      field.select();
    } else {
      const typed = body.querySelector(".entry-done") && number.value;
      if (!typed && !body.querySelector("[role=alert]")) number.value = found.dataset.next;
      number.focus({ preventScroll: true });
      if (!typed) number.select();
    }
    if (window.roundtap) window.roundtap.draw();
  }

  async function table() {
    // What was sent comes first: if it was refused, that is what has to be read.
    if (!await sending) return;
    const where = address();
    where.searchParams.set("table", number.value.trim());
    const found = await part(where, alone);
    if (found) show(found);
  }

  function lineAddress() {
    const field = text();
    const where = address();
    where.searchParams.set("table", field.form.elements.table.value);
    where.searchParams.set("text", field.value.trim());
    return where;
  }

  // The line tells what it means while it is typed; what stands at the table is told with it.
  async function line() {
    const found = await part(lineAddress(), alone);
    const said = found && found.querySelector("#entry-line");
    if (!said || !text() || said.dataset.line !== text().value.trim()) return;
    fresh(found, "#entry-line");
  }

  // Enter takes what is on the screen, never what is still on its way there.
  async function take(button) {
    const told = body.querySelector("#entry-line");
    const form = told && told.dataset.line === text().value.trim() && told.querySelector("form[data-confirm]");
    if (!form) { line(); return; }
    // A result that wants a reason waits for it.
    const missing = form.querySelector("input:invalid");
    if (missing) { missing.focus(); return; }
    // Whoever is fast types the next table's number meanwhile.
    const was = number.value;
    number.value = "";
    number.focus({ preventScroll: true });
    sending = (async () => {
      // Where there is something to choose, Enter presses the first button.
      const { name, value } = button && form.contains(button) ? button : form.querySelector("button");
      const fields = new URLSearchParams(new FormData(form));
      if (name) fields.append(name, value);
      const found = await part(form.action, { method: "POST", body: fields, form });
      if (found) show(found);
      else { number.value = was; if (text()) text().focus({ preventScroll: true }); }
      return Boolean(found) && !text();
    })();
    await sending;
    sending = true;
  }

  async function press(form) {
    const found = await part(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), form });
    if (found) show(found);
    else if (!drawer.classList.contains("unsent")) table();
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && drawer.contains(event.target)) { event.preventDefault(); leave(); return; }
    // Not left to the form: a page that was just pressed for takes no form for a moment, and this opens nothing but a table.
    if (event.key === "Enter" && (event.target === number || event.target === text())) {
      event.preventDefault();
      if (event.repeat) return;
      if (event.target === number) table();
      else take();
      return;
    }
    // The next table's number is no reason: the field says that it still waits for one.
    if (/^[0-9]$/.test(event.key) && event.target.matches("#entry-line [name=reason]") && !event.target.value) {
      event.preventDefault();
      event.target.reportValidity();
      return;
    }
  });

  window.roundtapKeys.push({
    shown: "0–9",
    fits: /^[0-9]$/,
    text: "table",
    does: (key) => {
      const begun = drawer.hidden || drawer.contains(document.activeElement);
      up();
      if (begun) { body.textContent = ""; asked += 1; }
      number.value = key;
      number.focus({ preventScroll: true });
      number.setSelectionRange(1, 1);
      return true;
    },
  });

  drawer.addEventListener("input", ({ target }) => {
    if (target === text()) line();
  });

  // Before everybody else: none of these leaves the page.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.matches("[data-entry-open]") && form !== opening) {
      event.preventDefault();
      event.stopImmediatePropagation();
      const wanted = form.elements.table.value;
      form.reset();
      up();
      number.value = wanted;
      table();
      return;
    }
    if (!drawer.contains(form)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (form === opening) table();
    else if (form.matches("#entry-form, [data-confirm]")) take(pressed);
    else press(form);
  }, true);

  drawer.addEventListener("click", ({ target }) => {
    pressed = target.closest("#entry-line button");
    if (target.closest("[data-entry-leave]")) leave();
    // A winner's name does what its letter does.
    const name = target.closest("[data-entry-name]");
    const field = text();
    if (!name || !field) return;
    field.value = `${name.dataset.entryName} ${field.value.replace(/^\s*[ab]\s*/i, "")}`.trim();
    field.focus({ preventScroll: true });
    line();
  });

  // A table's card opens the line; on a phone, whose keys would cover it, the match's own page.
  document.addEventListener("click", (event) => {
    const card = event.target.closest("[data-entry-table]");
    if (!card || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || matchMedia("(max-width: 40rem)").matches) return;
    event.preventDefault();
    up();
    number.value = card.dataset.entryTable;
    table();
  });

  // A result that came meanwhile is shown; what is typed stays, and what it was typed upon is asked for with it.
  let looking = 0;
  document.addEventListener("roundtap:swapped", () => {
    if (drawer.hidden || !text() || looking) return;
    looking = setTimeout(async () => {
      looking = 0;
      if (drawer.hidden || !text()) return;
      const where = lineAddress();
      where.searchParams.set("since", document.body.dataset.seen || "");
      const mine = asked;
      try {
        const answer = await fetch(where, { ...alone, cache: "no-store" });
        const found = parser.parseFromString(await answer.text(), "text/html").getElementById("part");
        if (!found || mine !== asked || !text()) return;
        const was = body.querySelector("#entry-now");
        const is = found.querySelector("#entry-now");
        if (was && is && was.dataset.now !== is.dataset.now) {
          was.replaceWith(document.importNode(is, true));
          body.querySelector("#entry-now").classList.add("settled");
        }
      } catch (error) {
        // Told by the feed.
      }
    }, 100);
  });
})();
