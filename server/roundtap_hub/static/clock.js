// Clocks and ages: counted here against the hub's monotonic clock, so that they run on without the network.
"use strict";
(() => {
  const LAST_MS = 5 * 60 * 1000;
  const BEGUN_MS = 8 * 1000;
  const DISAGREE_MS = 250;
  const SLEPT_MS = 60 * 1000;
  const LATE_MS = 5;
  // Players' pages ask for nothing but themselves and their feed, which is some trips less exact at its first word.
  const BY_FEED = document.documentElement.matches(".phone, .list");
  const TICKS_KEPT = 24;
  // Unknown until the hub has said it: until then the faces show what stood on the page.
  let offset = document.body.dataset.now ? Number(document.body.dataset.now) - performance.now() : null;
  let certain = false;
  let ticks = [];

  const hubNow = () => performance.now() + (offset || 0);

  // The hub's time was true somewhere during the trip: half of it is added, and the shortest trip errs least.
  let bestTrip = Infinity;
  async function sample() {
    const sent = performance.now();
    const answer = await fetch("/time", { cache: "no-store" });
    const got = performance.now();
    const { now_ms: hubMs } = await answer.json();
    if (got - sent >= bestTrip) return;
    bestTrip = got - sent;
    offset = hubMs + bestTrip / 2 - got;
    certain = true;
    ticks = [];
  }

  let syncing = false;
  async function sync() {
    if (syncing) return;
    syncing = true;
    bestTrip = Infinity;
    try {
      for (let i = 0; i < 2; i += 1) {
        await sample();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      draw();
    } catch (error) {
      // Without the hub the clock runs on by what it knows; the feed says how old that is.
    }
    syncing = false;
  }

  // What the feed says has some way behind it: of several ticks the one that makes the hub's clock latest came soonest.
  // Round trips know better by half a trip, and are made again only where the ticks disagree with them.
  let greeting = false;
  function hear(hubMs) {
    const now = hubMs - performance.now();
    ticks = [...ticks.slice(1 - TICKS_KEPT), now];
    const latest = Math.max(...ticks);
    if (offset === null || !certain) {
      const another = greeting && latest < offset - DISAGREE_MS;
      offset = offset === null || another ? now : Math.max(offset, latest);
      draw();
    } else if (now > offset + DISAGREE_MS || ((greeting || ticks.length === TICKS_KEPT) && latest < offset - DISAGREE_MS)) {
      // Later than could be, or earlier at the first word of a hub, or for as long as is remembered: another clock.
      sync();
    } else {
      offset = Math.max(offset, latest);
    }
    greeting = false;
  }

  function text(ms) {
    const seconds = ms > 0 ? Math.ceil(ms / 1000) : Math.floor(-ms / 1000);
    const sign = ms <= 0 && seconds ? "+" : "";
    return `${sign}${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }

  // Minutes that chance has added stand on officials' pages only; once they are over the hub counts them in itself. What
  // one table has more than the others stands on its players' pages.
  function remaining(face) {
    const { state, deadline, remaining: held, over, extra, more: own } = face.dataset;
    const more = (over === "1" ? 0 : Number(extra || 0)) + Number(own || 0);
    if (state === "running" && deadline) return Number(deadline) - hubNow() + more;
    return held ? Number(held) + more : null;
  }

  // Where minutes may follow that nobody knows, the hub says when it is over, and until then words stand there.
  const inLastMinutes = ({ dataset }, ms) => "lastWords" in dataset && ms !== null && ms <= 0 && dataset.over !== "1";

  function phase(face, ms) {
    const { state, total, phases } = face.dataset;
    if (state !== "running") return state;
    if (ms === null) return "running";
    if (ms <= 0) return inLastMinutes(face, ms) ? "last_minutes" : "over";
    const begun = (phases ? phases.split(" ") : []).map((each) => each.split(":"))
      .filter(([, from]) => Number(from) < Number(total) && Number(total) - ms >= Number(from));
    if (begun.length) return begun[begun.length - 1][0];
    return ms > LAST_MS ? "running" : "last";
  }

  // A phase that begins while people look on says so: the style sheet lets it flash for a while.
  function begin(word, now, phases = "") {
    const before = word.dataset.phase;
    const going = ["running", "last", "last_minutes", "over", ...phases.split(" ").map((each) => each.split(":")[0])];
    word.dataset.phase = now;
    for (const each of word.children) each.classList.toggle("now", each.dataset.when === now);
    if (![before, now].every((each) => going.includes(each))) return false;
    word.classList.add("begun");
    setTimeout(() => word.classList.remove("begun"), BEGUN_MS);
    return true;
  }

  function put(element, value) {
    if (element.textContent !== value) element.textContent = value;
  }

  // Written anew, the same word still costs the browser a look at all styles.
  function hide(element, hidden) {
    if (element.hidden !== hidden) element.hidden = hidden;
  }

  function draw() {
    if (offset === null) return;
    for (const face of document.querySelectorAll("[data-clock]")) {
      const ms = remaining(face);
      const worded = inLastMinutes(face, ms);
      face.classList.toggle("worded", worded);
      const shown = ms === null ? "–" : text(ms), wall = face.closest(".wall-clock");
      // Over time by hours is longer than the round ever was.
      if (wall && shown.length > Number(face.dataset.width)) face.dataset.width = shown.length;
      // Where nothing stands beside a clock, nothing is kept free before its figures.
      const alone = wall || face.closest(".phone-clock");
      put(face, worded ? face.dataset.lastWords : shown.padStart(alone ? 0 : Number(face.dataset.width), "\u2007"));
      if ("extra" in face.dataset) continue;
      const now = phase(face, ms);
      const begun = [...document.querySelectorAll(`[data-phase-of="${face.dataset.clock}"]`)]
        .filter((word) => word.dataset.phase !== now).map((word) => begin(word, now, face.dataset.phases));
      if (begun.includes(true)) document.dispatchEvent(new CustomEvent("roundtap:phase", { detail: { phase: now, late_ms: -ms } }));
    }
    const now = hubNow();
    for (const left of document.querySelectorAll("[data-until]")) put(left, text(Math.max(0, Number(left.dataset.until) - now)));
    for (const said of document.querySelectorAll("[data-said-until]")) hide(said, Number(said.dataset.saidUntil) <= now);
    for (const age of document.querySelectorAll("[data-since]")) {
      const seconds = Math.max(0, Math.floor((now - Number(age.dataset.since)) / 1000));
      put(age, `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
    }
  }

  // Whatever goes by the clock is looked at together, just after a shown second ends: each look wakes the machine.
  const looks = [draw];
  function look() {
    for (const each of looks) {
      // What fails in one stops no other.
      try { each(); } catch (error) { setTimeout(() => { throw error; }, 0); }
    }
  }

  function tick() {
    const running = [...document.querySelectorAll('[data-clock][data-state="running"][data-deadline]:not([data-deadline=""])')];
    const ends = running.length ? running.map(remaining) : [-hubNow()];
    const next = Math.min(...ends.map((ms) => ((ms % 1000) + 1000) % 1000));
    setTimeout(tick, LATE_MS + (Number.isFinite(next) ? next : 1000));
    look();
  }

  // For a request that nobody waits for any longer than this; where the browser knows none, it gives up in its own time.
  function within(ms) {
    if (!window.AbortController) return undefined;
    const given = new AbortController();
    setTimeout(() => given.abort(), ms);
    return given.signal;
  }

  window.roundtap = { LAST_MS, hubNow, within, sync, draw, hide, look, everySecond: (each) => looks.push(each), known: () => offset !== null };

  // What the feed says about a clock, at once and without loading anything.
  document.addEventListener("roundtap:clock", ({ detail }) => {
    for (const face of document.querySelectorAll(`[data-clock="${detail.event}"]`)) {
      face.dataset.state = detail.state;
      face.dataset.deadline = detail.deadline_ms === null ? "" : detail.deadline_ms;
      face.dataset.remaining = detail.remaining_ms === null ? "" : detail.remaining_ms;
      face.dataset.over = detail.over ? "1" : "0";
    }
    draw();
  });
  document.addEventListener("roundtap:time", ({ detail }) => hear(detail));
  document.addEventListener("roundtap:connected", () => {
    greeting = true;
    ticks = [];
    if (!certain && !BY_FEED) sync();
  });
  let hiddenAt = performance.now();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) { hiddenAt = performance.now(); return; }
    draw();
    if (performance.now() - hiddenAt > SLEPT_MS) sync();
  });
  tick();
  if (!document.body.dataset.feed && document.querySelector("[data-ticking]")) sync();
})();
