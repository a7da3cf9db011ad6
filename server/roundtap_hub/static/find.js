// Finding a table or a person from any page of the console: a field with what fits below it.
"use strict";
(() => {
  const form = document.getElementById("find-all");
  if (!form) return;
  const field = form.elements.q;
  const list = document.getElementById("find-list");
  const none = document.getElementById("find-none");
  let at = -1;
  let known = "";
  let looking = null;
  // What a line that does something sends.
  const acts = new Map();

  field.setAttribute("role", "combobox");
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", list.id);
  field.setAttribute("aria-expanded", "false");

  const options = () => [...list.children];

  function close() {
    list.hidden = true;
    none.hidden = true;
    none.textContent = "";
    at = -1;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  }

  function mark(index) {
    const all = options();
    if (!all.length) return;
    at = (index + all.length) % all.length;
    for (const [n, option] of all.entries()) option.setAttribute("aria-selected", String(n === at));
    field.setAttribute("aria-activedescendant", all[at].id);
    all[at].scrollIntoView({ block: "nearest" });
  }

  function show(page) {
    const chosen = at < 0 ? "" : options()[at].textContent;
    list.textContent = "";
    acts.clear();
    list.append(...[...page.querySelectorAll("#found > li > a, #found > li > form")].map((one, n) => {
      const option = document.createElement("li");
      option.id = `find-${n}`;
      option.setAttribute("role", "option");
      const form = one.matches("form") && document.importNode(one, true);
      if (form) acts.set(option, form);
      else option.dataset.go = one.getAttribute("href");
      option.append(...document.importNode(form ? one.querySelector("button") : one, true).childNodes);
      return option;
    }));
    const found = list.childElementCount > 0;
    list.hidden = !found;
    none.hidden = found;
    const empty = page.querySelector("main .empty");
    none.textContent = !found && empty ? empty.textContent : "";
    field.setAttribute("aria-expanded", String(found));
    // What acts is chosen, unless it is all that can be meant.
    at = -1;
    if (found && (!acts.size || list.childElementCount === 1)) mark(0);
    // A late answer takes nobody's choice away.
    const again = options().findIndex((option) => option.textContent === chosen);
    if (again >= 0) mark(again);
  }

  async function look() {
    const wanted = field.value.trim();
    if (!wanted) { known = ""; close(); return; }
    const where = new URL(form.action);
    where.searchParams.set("q", wanted);
    const asked = fetch(where, { headers: { Accept: "text/html" }, cache: "no-store" });
    looking = asked;
    try {
      const answer = await asked;
      const text = await answer.text();
      if (looking !== asked || answer.redirected) return;
      known = wanted;
      show(new DOMParser().parseFromString(text, "text/html"));
    } catch (error) {
      // The feed tells of a lost hub; Enter sends the form.
    }
  }

  function go(option) {
    const form = acts.get(option);
    if (form) {
      field.value = "";
      close();
      form.hidden = true;
      document.body.append(form);
      form.submit();
      return;
    }
    const to = new URL(option.dataset.go, location.href);
    field.value = "";
    close();
    const there = to.pathname === location.pathname && to.hash && document.getElementById(to.hash.slice(1));
    if (!there) { location.assign(to); return; }
    history.replaceState(null, "", to.hash);
    // A list that was narrowed down to somebody else shows everybody again.
    for (const row of document.querySelectorAll("#roster > [hidden]")) row.hidden = false;
    there.open = true;
    there.scrollIntoView({ block: "center" });
    there.querySelector("summary").focus({ preventScroll: true });
  }

  field.addEventListener("input", look);
  field.addEventListener("keydown", async (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      mark(at + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Escape") {
      event.preventDefault();
      field.value = "";
      close();
      field.blur();
    } else if (event.key === "Enter" && field.value.trim()) {
      event.preventDefault();
      // Typed faster than it is found: what was asked for last is what is meant.
      const seen = known === field.value.trim();
      if (!seen) await look();
      // What acts was to be read before.
      const chosen = options()[at];
      if (chosen && ((seen && !event.repeat) || !acts.has(chosen))) go(chosen);
    }
  });
  field.addEventListener("blur", () => setTimeout(close, 150));
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const option = event.target.closest("[role=option]");
    if (option) go(option);
  });
})();
