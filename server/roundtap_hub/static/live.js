// Live pages: one feed a page; what changed comes as small data, or the same address is loaded again, and only what
// changed is put in place.
"use strict";
(() => {
  const SILENT_MS = 10 * 1000;
  const body = document.body;
  const CURRENT = "roundtap:current";
  const VERSIONS_KEPT = 20;
  // By both clocks: the browser's own may stand still while a phone sleeps, and the day's may be set.
  let lastHeard = performance.now();
  let lastHeardDate = Date.now();
  // The time of day at the hub when it was last heard, where it knows one.
  let lastTime = "";
  let sent = new WeakSet();
  let backOff = 1000;
  let loading = false;
  let again = false;
  // When a phone asked for what has not come yet.
  const BUSY_MS = 1000;
  // No form waits longer at the hub: one that has not been answered by then leads nowhere, such as to a file.
  const GIVEN_UP_MS = 60 * 1000;
  let askedAt = Infinity;
  // What this tab remembers between pages. Where the browser refuses to keep anything, it remembers nothing.
  const tab = {
    get(key) { try { return sessionStorage.getItem(key); } catch (error) { return null; } },
    set(key, value) { try { sessionStorage.setItem(key, value); } catch (error) { /* As above. */ } },
  };

  // A page that answers a form stands under the form's address: reloading it would send the form again.
  if (body.dataset.address) history.replaceState(null, "", body.dataset.address);

  // What somebody typed and the hub sent back is still typed: nothing new takes its place in the form that was sent.
  const names = (body.dataset.typed || "").split(" ");
  for (const form of document.querySelectorAll("form[method=post]")) {
    if (!names.every((name) => form.elements[name])) continue;
    for (const field of form.elements) {
      // What is opened on demand stays by itself: console.js.
      if (field.closest("[data-open]")) continue;
      if (!names.includes(field.name) || !field.matches("textarea, input:not([type=hidden]):not([type=checkbox]):not([type=radio])")) continue;
      const { value } = field;
      field.defaultValue = "";
      field.value = value;
    }
  }

  // An event's own colour, where the browser reads none from the page and the style sheet does not know it.
  function paint() {
    for (const one of document.querySelectorAll("[data-color]")) {
      const color = one.dataset.color.toLowerCase();
      if (getComputedStyle(one).getPropertyValue("--event").trim() !== color) one.style.setProperty("--event", color);
    }
  }
  if (!CSS.supports("color", "attr(data-color type(<color>))")) {
    paint();
    document.addEventListener("roundtap:swapped", paint);
  }

  // --- keys: all that this page knows stand in one table, which "?" shows (places.js). `fits`: a key; `text`: its line in
  // the list, or a function that makes lines of it; `does`: true if it did something.
  const keys = [{
    shown: "/",
    fits: /^\/$/,
    text: "slash",
    does: () => {
      const search = document.querySelector("[data-slash]");
      if (search) search.focus();
      return search;
    },
  }];
  window.roundtapKeys = keys;
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable], dialog")) return;
    if (keys.find(({ fits, does }) => fits.test(event.key) && does(event.key))) event.preventDefault();
  });

  // --- buttons that lead to a field, and forms that are sent once
  document.addEventListener("click", ({ target }) => {
    const to = target.closest("[data-focus]");
    const field = to && document.getElementById(to.dataset.focus);
    if (!field) return;
    if (field.matches("details")) field.open = true;
    const focus = field.matches("input, textarea, select") ? field : field.querySelector("input, select, textarea, a, button");
    if (focus) setTimeout(() => focus.focus(), 0);
  });
  document.addEventListener("submit", ({ target }) => {
    setTimeout(() => target.querySelectorAll("button").forEach((button) => { button.disabled = true; }), 0);
  });
  window.addEventListener("pageshow", () => {
    sent = new WeakSet();
    askedAt = Infinity;
    document.querySelectorAll("form button[disabled]").forEach((button) => { button.disabled = false; });
  });

  // --- a next step takes no press until somebody can have read it: who pressed sooner meant the step before
  const SETTLE_MS = 1000;
  const SAID_MS = 4000;
  const PRESSED = "roundtap:pressed";
  let settledAt = 0;
  let landed = "main";
  let landedAt = 0;
  let settling = 0;
  let saying = 0;

  function settleStep(changed) {
    const next = document.getElementById("next");
    if (!next) return;
    settledAt = performance.now() + SETTLE_MS;
    next.classList.add("settling");
    next.classList.toggle("changed", changed);
    clearTimeout(settling);
    settling = setTimeout(() => document.getElementById("next").classList.remove("settling"), SETTLE_MS);
  }

  function tooSoon(event) {
    const now = performance.now();
    const held = now < landedAt ? landed : now < settledAt ? "#next" : "";
    if (!held || !event.target.closest || !event.target.closest(held)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const said = document.getElementById("too-soon");
    if (!said) return;
    said.hidden = false;
    clearTimeout(saying);
    saying = setTimeout(() => { said.hidden = true; }, SAID_MS);
  }
  // A key that presses a button arrives as a click; a form that is sent from a field does not.
  for (const kind of ["click", "submit"]) document.addEventListener(kind, tooSoon, true);
  // A form is sent once: the second press of a double click may come before its buttons know.
  document.addEventListener("submit", (event) => {
    const { target } = event;
    if (sent.has(target)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    sent.add(target);
    // Whoever sends it in their own way lets it be sent again.
    setTimeout(() => { if (event.defaultPrevented) sent.delete(target); else asks(); }, 0);
  }, true);
  // The page that follows a press lies under the same finger, and its buttons lie elsewhere: all of them wait. Where
  // names are pressed one after the other, only the message does: after an Undo it has another button, or a link.
  // Who pressed with a key goes on with the next step's own button; held down, the key presses it no more.
  const BY_KEY = "key";
  let byKey = false;
  document.addEventListener("click", ({ detail }) => { byKey = detail === 0; }, true);
  document.addEventListener("keydown", (event) => {
    if (event.repeat && event.key === "Enter" && event.target.closest("#next")) event.preventDefault();
  });
  document.addEventListener("submit", () => tab.set(PRESSED, byKey ? BY_KEY : "1"));
  const pressedBefore = tab.get(PRESSED);
  if (pressedBefore) {
    tab.set(PRESSED, "");
    const step = pressedBefore === BY_KEY && document.querySelector("#next .main");
    if (step) step.focus();
    landed = document.getElementById("next") ? "main" : "#did";
    const waits = document.querySelector(landed);
    if (waits) {
      landedAt = performance.now() + SETTLE_MS;
      waits.classList.add("settling");
      setTimeout(() => waits.classList.remove("settling"), SETTLE_MS);
    }
  }

  // What asks once more does not take the second click of a double click for the answer.
  document.addEventListener("toggle", ({ target }) => {
    if (target.open && target.matches("#next .confirm")) settleStep(false);
  }, true);

  // --- putting news in place
  function still(element) {
    const copy = element.cloneNode(true);
    for (const ticking of copy.querySelectorAll("[data-ticking]")) {
      ticking.textContent = "";
      ticking.removeAttribute("data-since");
      ticking.classList.remove("worded");
      for (const name of ["state", "deadline", "remaining", "over"]) ticking.removeAttribute(`data-${name}`);
    }
    for (const word of copy.querySelectorAll("[data-phase]")) { word.removeAttribute("data-phase"); word.classList.remove("begun"); }
    for (const when of copy.querySelectorAll("[data-when]")) when.classList.remove("now");
    for (const painted of copy.querySelectorAll("[data-color][style]")) painted.removeAttribute("style");
    for (const shown of copy.querySelectorAll("[hidden][data-text]")) shown.removeAttribute("hidden");
    for (const said of copy.querySelectorAll("[data-said-until][hidden]")) said.removeAttribute("hidden");
    for (const fetched of copy.querySelectorAll("[data-open] > :not(summary)")) fetched.remove();
    for (const open of copy.querySelectorAll("details[open]")) open.removeAttribute("open");
    for (const done of copy.querySelectorAll(".settled")) done.classList.remove("settled");
    for (const page of copy.querySelectorAll("[data-page], [data-page-index]")) page.classList.remove("current");
    for (const classed of copy.querySelectorAll("[class='']")) classed.removeAttribute("class");
    for (const button of copy.querySelectorAll("button[disabled]")) button.removeAttribute("disabled");
    for (const shown of copy.querySelectorAll("input[name=shown_at]")) shown.setAttribute("value", "");
    return copy.innerHTML;
  }

  function dirty(region) {
    const active = document.activeElement;
    if (active && region.contains(active) && active.matches("input, textarea, select")) return true;
    return [...region.querySelectorAll("input, textarea, select")].some((field) => {
      if (field.type === "hidden") return false;
      if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
      if (field.options) return [...field.options].some((option) => option.selected !== option.defaultSelected) && [...field.options].some((option) => option.defaultSelected);
      return field.value !== field.defaultValue;
    });
  }

  function sameFocus(region, active) {
    if (active.id) return document.getElementById(active.id);
    const alike = [...region.querySelectorAll(active.tagName)];
    return alike.find((element) => element.textContent === active.textContent && element.getAttribute("href") === active.getAttribute("href"));
  }

  function settle(old, fresh) {
    const before = new Map([...old.querySelectorAll("[data-key]")].map((item) => [item.dataset.key, still(item)]));
    for (const item of fresh.querySelectorAll("[data-key]")) {
      if (before.has(item.dataset.key) && before.get(item.dataset.key) !== still(item)) item.classList.add("settled");
    }
  }

  function replace(old, fresh) {
    const sameStep = old.dataset.step === fresh.dataset.step;
    swap(old, fresh, () => {
      settle(old, fresh);
      if (old.id === "next" && sameStep) keepStep(old, fresh);
    });
    if (!sameStep) settleStep(true);
  }

  function keepStep(old, fresh) {
    // The words around it changed, the step did not: it is as old as it was.
    fresh.className = old.className;
    const was = old.querySelector("input[name=shown_at]");
    const is = fresh.querySelector("input[name=shown_at]");
    if (was && is) is.value = was.value;
  }

  function keepClocks(fresh) {
    // A clock that looks the same in words may still have moved: its numbers are taken over without a swap.
    for (const face of fresh.querySelectorAll("[data-clock]")) {
      for (const mine of document.querySelectorAll(`[data-clock="${face.dataset.clock}"]`)) {
        if (("extra" in mine.dataset) === ("extra" in face.dataset)) Object.assign(mine.dataset, face.dataset);
      }
    }
  }

  // What changed by the page's own words: whole regions, and rows of regions.
  function element(html) {
    const holder = document.createElement("template");
    holder.innerHTML = html;
    return document.importNode(holder.content.firstElementChild, true);
  }

  function whole(row) {
    const holder = document.createElement("div");
    holder.append(row.cloneNode(true));
    return still(holder);
  }

  const rowOf = (region, key) => [...region.querySelectorAll("[data-key]")].find((row) => row.dataset.key === key);

  function changeRows(region, { gone, rows }) {
    for (const key of gone) { const row = rowOf(region, key); if (row) row.remove(); }
    for (const { key, html, after, before } of rows) {
      const fresh = element(html);
      const at = after !== undefined ? after : before !== undefined ? before : key;
      const beside = rowOf(region, at);
      // Somebody's hand was in between: the page is not what the hub thinks it is.
      if (!beside) throw new Error(`no row ${at}`);
      if (after !== undefined) beside.after(fresh);
      else if (before !== undefined) beside.before(fresh);
      else if (whole(beside) !== whole(fresh)) swap(beside, fresh, () => fresh.classList.add("settled"));
      keepClocks(fresh);
    }
  }

  // Old for new, with what was open in it and where the focus was.
  function swap(old, fresh, settles) {
    const open = [...old.querySelectorAll("details[open][id]")].map((details) => details.id);
    const active = old.contains(document.activeElement) ? document.activeElement : null;
    settles();
    old.replaceWith(fresh);
    for (const id of open) {
      const details = document.getElementById(id);
      if (details) details.open = true;
    }
    const focus = active && sameFocus(fresh, active);
    if (focus) focus.focus({ preventScroll: true });
  }

  const touches = (region, { html, gone, rows }) => (html !== undefined ? dirty(region)
    : [...gone, ...rows.map(({ key }) => key)].some((key) => { const row = rowOf(region, key); return row && dirty(row); }));

  // True if all of it could be put in place; else the page has to be loaded.
  function patch({ from, to, regions }) {
    if (!regions || from !== body.dataset.seen) return false;
    const known = regions.map((change) => [document.getElementById(change.id), change]);
    if (known.some(([region, change]) => !region || touches(region, change))) return false;
    try {
      for (const [region, change] of known) {
        if (change.html === undefined) { changeRows(region, change); continue; }
        const fresh = element(change.html);
        if (still(region) !== still(fresh)) replace(region, fresh);
        keepClocks(fresh);
      }
    } catch (error) {
      return false;
    }
    body.dataset.seen = to;
    put();
    return true;
  }

  function put() {
    if (window.roundtap) window.roundtap.draw();
    document.dispatchEvent(new CustomEvent("roundtap:swapped"));
  }

  function take(page) {
    let held = false;
    for (const old of document.querySelectorAll("[data-live][id]")) {
      const fresh = page.getElementById(old.id);
      if (!fresh || still(old) === still(fresh)) continue;
      if (dirty(old)) held = true;
      else replace(old, document.importNode(fresh, true));
    }
    // What stands only on the page as it is now, beside all regions: a hint would be no help on a page without forms.
    const strange = [...page.querySelectorAll("[data-live][id]")].some(({ id }) => !document.getElementById(id));
    const main = document.getElementById("main");
    if (strange && "variant" in body.dataset && main && !dirty(main)) {
      main.replaceWith(document.importNode(page.getElementById("main"), true));
    }
    document.title = page.title;
    keepClocks(page);
    document.getElementById("changed-hint").hidden = !held;
    // What was held back makes it a page of no version: what comes next is loaded, too.
    body.dataset.seen = held ? "" : page.body.dataset.seen || "";
    put();
  }

  async function look() {
    if (loading) { again = true; return; }
    loading = true;
    asks();
    try {
      if (window.roundtapDelta && await window.roundtapDelta()) return;
      // An organizer's page that looks by itself says so: it is no use that anybody makes of it.
      const answer = await fetch(body.dataset.lookAt || location.href, { headers: { Accept: "text/html" }, cache: "no-cache" });
      const elsewhere = answer.redirected && new URL(answer.url).pathname !== location.pathname;
      // A login that has ended takes nothing away that somebody is typing: their press leads to it, and back.
      if (elsewhere) {
        if (typing()) document.getElementById("changed-hint").hidden = false;
        else location.assign(answer.url);
        return;
      }
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        take(page);
      } else if (answer.status === 404) {
        location.reload();
      } else if (answer.status === 503) {
        // More pages are asked for than can be made: this one stands as it is, and looks again when it is told to.
        setTimeout(look, 1000 * (Number(answer.headers.get("Retry-After")) || 5));
      }
    } catch (error) {
      // The feed notices a lost hub; this page looks again when it is back.
    } finally {
      loading = false;
      askedAt = Infinity;
      caughtUp();
      freshness();
      if (again) { again = false; look(); }
    }
  }

  // --- the feed
  // When the hub last stood behind each version of a page that this tab has shown.
  const versions = () => JSON.parse(tab.get(CURRENT) || "[]");
  function noteVersion() {
    const { seen } = body.dataset;
    const others = versions().filter(([version]) => version !== seen);
    tab.set(CURRENT, JSON.stringify([[seen, lastHeardDate], ...others].slice(0, VERSIONS_KEPT)));
  }

  function heard() {
    lastHeard = performance.now();
    lastHeardDate = Date.now();
    noteVersion();
    backOff = 1000;
    if (holds && !claim()) connect();
    freshness();
  }

  // --- the hub is silent: its standby may have taken its place
  const HUBS = "roundtap:hubs";
  let others = JSON.parse(tab.get(HUBS) || "null") || { hubs: [] };
  let seeking = false;

  // What somebody is typing is theirs: such a page stays, and says that it has no contact.
  const typing = () => [...document.querySelectorAll("main form")].some(dirty);

  async function seek() {
    if (seeking || typing()) return;
    seeking = true;
    for (const hub of others.hubs.filter((each) => each !== location.origin)) {
      try {
        const answer = await fetch(`${hub}/standby/lineage?mark=${others.mark}`,
          { cache: "no-store", credentials: "omit", signal: window.roundtap.within(3000) });
        const { proof, hub: serves } = await answer.json();
        // Only a hub of the same journal knows what this page's mark is answered with.
        if (answer.ok && serves && proof && proof === others.proof) {
          location.replace(hub + location.pathname + location.search + location.hash);
          return;
        }
      } catch (error) {
        // Nobody there yet: asked again, as long as this hub is silent.
      }
    }
    seeking = false;
  }

  function asks(at = performance.now()) {
    if (!document.documentElement.matches(".phone, .list")) return;
    askedAt = at;
    for (const afterMs of [BUSY_MS, GIVEN_UP_MS]) setTimeout(freshness, afterMs + 1);
  }

  // What a screen reader was told last: once for each news, not each second.
  let told = "";
  const silence = () => Math.max(performance.now() - lastHeard, Date.now() - lastHeardDate);

  function freshness() {
    if (rests) return;
    const silent = silence();
    const checkedMs = performance.now() - checksFrom;
    const old = body.dataset.feed !== undefined && silent > SILENT_MS;
    const lost = old && (checksFrom === null || checkedMs > SILENT_MS);
    const checks = checksFrom !== null && !lost && checkedMs > CHECK_MS;
    const waitedMs = performance.now() - askedAt;
    const waits = waitedMs > BUSY_MS && waitedMs <= GIVEN_UP_MS;
    if (lost) seek();
    body.classList.toggle("stale", lost || checks);
    body.classList.toggle("no-contact", lost);
    const sign = document.getElementById("contact");
    const kind = lost ? "lost" : checks ? "checks" : waits ? "busy" : "";
    window.roundtap.hide(sign, !kind);
    let text = kind ? sign.dataset[kind] : "";
    if (lost) {
      const seconds = Math.floor(silent / 1000);
      const age = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
      text = (lastTime ? sign.dataset.said.replace("{time}", lastTime) : sign.dataset.saidAlone).replace("{age}", age);
    }
    sign.querySelector("[data-contact-age]").textContent = text;
    if (kind === told) return;
    told = kind;
    sign.querySelector("[data-contact-told]").textContent = text;
  }

  // Pages that everybody sees alike are told what changed on them; all know what they show already.
  function feedAddress() {
    const { feed, seen, variant } = body.dataset;
    const alike = variant === undefined ? "" : `&lang=${document.documentElement.lang}&variant=${encodeURIComponent(variant)}`;
    const mine = "display" in body.dataset ? "&display=1" : "";
    return `${feed}${alike}${mine}&seen=${encodeURIComponent(seen || "")}`;
  }

  // A row that somebody is about to press does not move away: what is new waits until their hand has been still.
  let handAt = -Infinity;
  const handIsOn = () => performance.now() < handAt + SETTLE_MS;
  for (const kind of ["pointerdown", "pointermove"]) {
    document.addEventListener(kind, ({ target }) => { if (target.closest(".check-list")) handAt = performance.now(); }, { passive: true });
  }

  let looking = 0;
  function changed(said) {
    if (said === body.dataset.seen || looking) return;
    // All phones of a hall hear the same news: they come for it spread over a quarter of a second.
    const phone = document.documentElement.matches(".phone, .list");
    const later = handIsOn() ? SETTLE_MS : phone ? Math.random() * 250 : 0;
    looking = setTimeout(() => { looking = 0; if (handIsOn()) changed(said); else look(); }, later);
  }

  function timed({ now_ms: nowMs, time }) {
    lastTime = time || "";
    caughtUp();
    document.dispatchEvent(new CustomEvent("roundtap:time", { detail: nowMs }));
  }

  // --- A browser has six connections to one host: a page that nobody sees or hears has no feed, and of the others three
  // hold theirs. The rest ask every few seconds, and when one of the three has heard something.
  const FEEDS_MAX = 3;
  const ASK_MS = 5000;
  // A page that holds its feed notes it each time the hub speaks, every 5 s.
  const GONE_MS = 12 * 1000;
  const HELD = "roundtap:feed:";
  const NEWS = "roundtap:news";
  const place = HELD + Math.random();
  const begun = Date.now();
  let source = null;
  let holds = false;
  let rests = false;
  // The browser may keep a page that was left, to be there at once when somebody comes back.
  let isLeft = false;
  let retry = 0;
  // Since when a page that is seen again looks for what it has missed.
  const CHECK_MS = 300;
  let checksFrom = null;

  const isHeard = () => "display" in body.dataset || "sound" in body.dataset || document.querySelector("#alerts [aria-pressed=true]");
  const isAwake = () => !isLeft && (!document.hidden || isHeard());

  // Walls first, then pages that are seen; of these the oldest.
  const order = () => `${"display" in body.dataset ? 0 : document.hidden ? 2 : 1} ${begun} ${place}`;

  // Whether it is among the first; the note of a page that was killed grows old.
  function mayHold() {
    const mine = order();
    const before = Object.keys(localStorage).filter((key) => {
      if (!key.startsWith(HELD) || key === place) return false;
      const [heardAt, theirs] = JSON.parse(localStorage.getItem(key)) || [];
      if (Math.abs(Date.now() - heardAt) <= GONE_MS) return theirs < mine;
      localStorage.removeItem(key);
      return false;
    });
    return before.length < FEEDS_MAX;
  }

  // Where a browser keeps nothing, each page has its own.
  function claim() {
    try {
      holds = mayHold();
      if (holds) localStorage.setItem(place, JSON.stringify([Date.now(), order()]));
      else localStorage.removeItem(place);
    } catch (error) {
      holds = true;
    }
    return holds;
  }

  function close() {
    clearTimeout(retry);
    if (source) source.close();
  }

  function rest() {
    rests = true;
    close();
    try { localStorage.removeItem(place); } catch (error) { /* As above. */ }
  }

  function wake() {
    if (!rests) {
      if (!holds || !claim()) connect();
      return;
    }
    rests = false;
    if (silence() > SILENT_MS) {
      checksFrom = performance.now();
      setTimeout(freshness, CHECK_MS + 1);
    }
    connect();
  }

  function caughtUp() {
    if (!looking && !loading) checksFrom = null;
  }

  function tellOthers(data) {
    if (holds) try { localStorage.setItem(NEWS, data); } catch (error) { /* As above. */ }
  }

  function connect() {
    close();
    const asks = !claim();
    let opened = false;
    source = new EventSource(feedAddress() + (asks ? "&once=1" : ""));
    const on = (name, hears) => source.addEventListener(name, ({ data }) => { heard(); hears(data); });
    on("open", () => {
      opened = true;
      document.dispatchEvent(new CustomEvent("roundtap:connected"));
    });
    on("view", (data) => {
      tellOthers(data);
      changed(data);
    });
    on("patch", (data) => {
      const said = JSON.parse(data);
      tellOthers(said.to);
      if (loading || handIsOn() || !patch(said)) changed(said.to);
    });
    on("clock", (data) => {
      tellOthers(data);
      const said = JSON.parse(data);
      timed(said);
      document.dispatchEvent(new CustomEvent("roundtap:clock", { detail: said }));
    });
    on("tick", (data) => timed(JSON.parse(data)));
    on("display", (data) => document.dispatchEvent(new CustomEvent("roundtap:display", { detail: JSON.parse(data) })));
    on("hubs", (data) => {
      others = JSON.parse(data);
      tab.set(HUBS, data);
    });
    source.addEventListener("error", () => {
      source.close();
      if (!opened) checksFrom = null;
      retry = setTimeout(connect, (asks && opened ? ASK_MS : backOff) * (0.5 + Math.random()));
      backOff = Math.min(backOff * 2, 15000);
    });
  }

  function follow() {
    const turn = () => { if (isAwake()) wake(); else rest(); };
    window.addEventListener("pagehide", () => { isLeft = true; turn(); });
    window.addEventListener("pageshow", ({ persisted }) => { isLeft = false; if (persisted) turn(); });
    document.addEventListener("visibilitychange", turn);
    window.addEventListener("storage", ({ key, newValue }) => {
      if (rests || !key) return;
      if (holds ? key.startsWith(HELD) && !mayHold() : key === NEWS || (newValue === null && key.startsWith(HELD))) {
        clearTimeout(retry);
        retry = setTimeout(connect, Math.random() * 250);
      }
    });
    if (isAwake()) connect();
    else rest();
  }

  // What a form did that was sent without leaving the page is said here all the same, and stays as long as elsewhere.
  function sayDone(answer, page) {
    const did = new URL(answer.url).searchParams.get("did");
    const said = document.getElementById("did");
    const fresh = page.getElementById("did");
    if (!did || !said || !fresh) return;
    const at = new URL(location.href);
    at.searchParams.set("did", did);
    history.replaceState(null, "", at);
    // Nothing moves under the finger that has pressed: what stood here before, if it had room of its own, leaves it.
    if (said.offsetParent && !said.classList.contains("over")) {
      const room = said.cloneNode(true);
      for (const name of ["id", "role", "data-live"]) room.removeAttribute(name);
      room.style.visibility = "hidden";
      said.before(room);
    }
    said.classList.add("over");
    said.textContent = "";
    said.append(...document.importNode(fresh, true).childNodes);
  }

  // For pages that ask by themselves what changed.
  window.roundtapLive = { patch, take, look, asks, typing, sayDone };

  settleStep(false);
  const first = document.querySelector("[role=alert]");
  // Where names come one after the other, a refusal is read and the next one typed.
  if (first && !document.querySelector("[data-next-one]")) first.focus();
  // Where the hub is away, the page stays.
  if (body.dataset.reloadMs) setInterval(() => {
    if (!typing()) fetch("/time").then((answer) => { if (answer.ok && !typing()) location.reload(); }, () => {});
  }, Number(body.dataset.reloadMs) * (0.5 + Math.random()));
  if (body.dataset.feed) {
    // A page that the browser had stored may be older than what this tab showed last: its version tells.
    const [arrival] = performance.getEntriesByType("navigation");
    const known = versions().find(([version]) => version === body.dataset.seen);
    if (known && arrival && arrival.transferSize === 0) [, lastHeardDate] = known;
    follow();
    window.roundtap.everySecond(freshness);
    if (body.dataset.againMs) setInterval(() => { if (!document.hidden) look(); }, Number(body.dataset.againMs));
    // plain.js goes on until all has run: on the wall, wall.js too.
    window.roundtapRuns = body.dataset.pageMs ? ["wall.js"] : [];
  }
})();
