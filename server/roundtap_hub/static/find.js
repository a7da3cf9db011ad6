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
    list.textContent = "";
    list.append(...[...page.querySelectorAll("#found > li > a")].map((link, n) => {
      const option = document.createElement("li");
      option.id = `find-${n}`;
      option.setAttribute("role", "option");
      option.dataset.go = link.getAttribute("href");
      option.append(...document.importNode(link, true).childNodes);
      return option;
    }));
    const found = list.childElementCount > 0;
    list.hidden = !found;
    none.hidden = found;
    const empty = page.querySelector("main .empty");
    none.textContent = !found && empty ? empty.textContent : "";
    field.setAttribute("aria-expanded", String(found));
    if (found) mark(0);
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
      if (known !== field.value.trim()) await look();
      if (at >= 0) go(options()[at]);
    }
  });
  field.addEventListener("blur", () => setTimeout(close, 150));
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const option = event.target.closest("[role=option]");
    if (option) go(option);
  });
})();
