// Draws each virtual table's screen and carries presses to its pins.
"use strict";

const tables = new Map();
const KEYS = { a: "a", l: "b", ArrowUp: "up", ArrowDown: "down", ArrowLeft: "a", ArrowRight: "b" };
const POINTS = window.PointerEvent
  ? { down: "pointerdown", ends: ["pointerup", "pointercancel", "lostpointercapture"] }
  : { down: "mousedown", ends: ["mouseup", "mouseleave"] };
const TAP_MS = 250; // shorter than any hold
const CALL_MS = TAP_MS + 1800;

function send(table, order) {
  table.last = table.last.then(() => press({ table: table.number, ...order }));
}

function press(order) {
  return fetch("press", {
    method: "POST", keepalive: true,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(order),
  }).catch(() => {});
}

// Presses of one table leave in the order they were made: down never overtakes up. A short one leaves as one order, when
// it ends: on a busy machine a release that waits for the answer to its press would make a hold of a tap.
function queued(table, pin, down) {
  if (table.held.has(pin) === down) return;
  down ? table.held.add(pin) : table.held.delete(pin);
  table.box.querySelector(`[data-pin="${pin}"]`).classList.toggle("down", down);
  if (down) {
    table.begun.set(pin, setTimeout(() => { table.begun.delete(pin); send(table, { pin, down }); }, TAP_MS));
    return;
  }
  clearTimeout(table.begun.get(pin));
  send(table, table.begun.delete(pin) ? { pin, tap: true } : { pin, down });
}

function releaseAll(table) {
  for (const pin of [...table.held]) queued(table, pin, false);
}

function add(number) {
  const box = document.getElementById("table").content.cloneNode(true).firstElementChild;
  const table = { number, box, held: new Set(), begun: new Map(), last: Promise.resolve(), context: box.querySelector("canvas").getContext("2d") };
  const name = `${document.getElementById("tables").dataset.name} ${number}`;
  box.querySelector("h2").textContent = name;
  box.setAttribute("aria-label", name);
  box.dataset.number = number;
  box.dataset.unit = box.dataset.switches = `table-${number}`;
  for (const button of box.querySelectorAll("[data-pin]")) {
    button.addEventListener(POINTS.down, (event) => {
      queued(table, button.dataset.pin, true);
      if (button.setPointerCapture) button.setPointerCapture(event.pointerId);
    });
    for (const end of POINTS.ends) {
      button.addEventListener(end, () => queued(table, button.dataset.pin, false));
    }
    button.addEventListener("contextmenu", (event) => event.preventDefault());
    button.addEventListener("keydown", (event) => {
      if ((event.key === " " || event.key === "Enter") && !event.repeat) queued(table, button.dataset.pin, true);
      if (event.key === " " || event.key === "Enter") event.preventDefault();
    });
    button.addEventListener("keyup", (event) => {
      if (event.key === " " || event.key === "Enter") queued(table, button.dataset.pin, false);
    });
    button.addEventListener("blur", () => queued(table, button.dataset.pin, false));
  }
  box.querySelector("[data-both]").addEventListener("click", () => {
    queued(table, "up", true);
    queued(table, "down", true);
    setTimeout(() => { queued(table, "up", false); queued(table, "down", false); }, CALL_MS);
  });
  box.querySelector("[data-turn]").addEventListener("click", () => box.classList.toggle("turned"));
  box.addEventListener("focusout", (event) => { if (!box.contains(event.relatedTarget)) releaseAll(table); });
  const after = [...tables.keys()].filter((n) => n > number).sort((x, y) => x - y)[0];
  document.getElementById("tables").insertBefore(box, after ? tables.get(after).box : null);
  tables.set(number, table);
  return table;
}

function draw(table, picture) {
  table.box.classList.toggle("dead", !picture);
  if (!picture) return;
  const bits = Uint8Array.from(atob(picture.frame), (c) => c.charCodeAt(0));
  const image = table.context.createImageData(picture.width, picture.height);
  for (let i = 0; i < picture.width * picture.height; i++) {
    const on = bits[i >> 3] & (0x80 >> (i & 7));
    image.data.set(on ? [214, 236, 255, 255] : [5, 7, 10, 255], i * 4);
  }
  table.context.putImageData(image, 0, 0);
  // For screen readers, which read out each change: a clock that only counts is none.
  const words = table.box.querySelector(".words");
  const untimed = (text) => text.replace(/[+-]?\d+:\d\d/g, "");
  if (untimed(words.textContent) !== untimed(picture.text || "")) words.textContent = picture.text || "";
}

function chosen() {
  const box = document.activeElement && document.activeElement.closest(".table");
  return box ? [...tables.values()].find((table) => table.box === box) : null;
}

let digits = "";
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^[0-9]$/.test(event.key)) {
    digits = (digits + event.key).slice(-3);
    const table = tables.get(Number(digits)) || tables.get(Number(event.key));
    if (table) table.box.focus();
    setTimeout(() => { digits = ""; }, 800);
    return;
  }
  const table = chosen();
  if (!table) return;
  const pin = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (pin) {
    event.preventDefault();
    if (!event.repeat) queued(table, pin, true);
  } else if (event.key.toLowerCase() === "t") {
    table.box.classList.toggle("turned");
  }
});
document.addEventListener("keyup", (event) => {
  const table = chosen();
  const pin = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (table && pin) queued(table, pin, false);
});
window.addEventListener("blur", () => { for (const table of tables.values()) releaseAll(table); });

// The virtual printer: its paper, newest first, and what can go wrong with it.
function toPrinter(order) {
  return fetch("printer", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(order) });
}

function drawPaper({ sheets, faults }) {
  const desk = document.getElementById("printer");
  desk.hidden = false;
  for (const box of desk.querySelectorAll("[data-fault]")) box.checked = faults.includes(box.dataset.fault);
  const roll = desk.querySelector(".roll");
  roll.textContent = "";
  roll.append(...sheets.map(({ number, sheet }) => {
    const image = document.createElement("img");
    image.src = `data:image/png;base64,${sheet}`;
    image.alt = `${number}`;
    return image;
  }));
  desk.querySelector(".empty").hidden = sheets.length > 0;
}

for (const box of document.querySelectorAll("[data-fault]")) {
  box.addEventListener("change", () => toPrinter({ fault: box.dataset.fault, on: box.checked }));
}

// Power and network of each table, and the hub's plug.
document.addEventListener("change", ({ target }) => {
  const of = target.closest("[data-switches]");
  if (!of || !target.dataset.part) return;
  fetch("switch", {
    method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ of: of.dataset.switches, part: target.dataset.part, on: target.checked }),
  });
});

function drawSwitches(switches) {
  // A practice hub serves this page itself: it has no plug here.
  for (const row of document.querySelectorAll('[data-switches="hub"]')) row.hidden = !switches.hub;
  for (const [unit, parts] of Object.entries(switches)) {
    for (const [part, on] of Object.entries(parts)) {
      for (const box of document.querySelectorAll(`[data-switches="${unit}"] [data-part="${part}"]`)) box.checked = on;
    }
  }
}

const listeners = [];
const most = Number(document.getElementById("tables").dataset.only || Infinity);
const latest = {};

// A listener that comes late is told what it missed.
function onNews(listener) {
  listeners.push(listener);
  listener(latest);
}

// A browser has six connections to one host, and keeps pages that were left: one that nobody sees holds none, and is told
// everything when it is seen again.
let source = null;

function rest() {
  if (source) source.close();
}

function follow() {
  rest();
  if (document.hidden) return;
  source = new EventSource("pictures");
  source.onmessage = (event) => {
    const news = JSON.parse(event.data);
    Object.assign(latest, news);
    if (news.printer) drawPaper(news.printer);
    if (news.table && news.table <= most) draw(tables.get(news.table) || add(news.table), news.picture);
    drawSwitches(latest.switches || {});
    for (const listener of listeners) listener(news);
  };
  source.onerror = () => { for (const table of tables.values()) table.box.classList.add("dead"); };
}

follow();
document.addEventListener("visibilitychange", follow);
window.addEventListener("pagehide", rest);
window.addEventListener("pageshow", ({ persisted }) => { if (persisted) follow(); });

const told = fetch("info").then((answer) => answer.json()).then((info) => {
  for (const link of document.querySelectorAll("[data-path]")) {
    link.href = `${info.hub}${info.paths[link.dataset.path]}?lang=${document.documentElement.lang}`;
  }
  return info;
});

function onInfo(listener) { told.then(listener); }
