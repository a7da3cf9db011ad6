// The hall side by side: the hub's pages in frames, and the guide that lights up what to press next.
"use strict";

const frames = [...document.querySelectorAll(".screen-frame")];

// A page that is made for a wider screen is shown smaller, never cut.
function fit() {
  for (const box of frames) {
    const view = box.querySelector(".view");
    view.style.setProperty("--scale", Math.min(1, view.clientWidth / Number(view.parentElement.dataset.wide)));
  }
}
addEventListener("resize", fit);
onNews(fit);

onInfo((info) => {
  document.body.classList.toggle("links", !info.frames);
  for (const box of frames) {
    const view = box.querySelector(".view");
    const link = box.querySelector("[data-path]");
    if (!info.frames) {
      const open = link.cloneNode(true);
      open.textContent = link.title;
      view.append(open);
      continue;
    }
    const frame = document.createElement("iframe");
    frame.title = link.textContent;
    frame.src = link.href;
    view.append(frame);
  }
  document.getElementById("pin").hidden = !info.asks_pin;
});

// "Press *Start clock* on the console": what stands between stars is a button's own name.
function marked(text) {
  return text.split("*").map((part, at) => {
    if (at % 2 === 0) return part;
    const name = document.createElement("b");
    name.textContent = part;
    return name;
  });
}

function lightUp(lit) {
  for (const each of document.querySelectorAll(".lit")) each.classList.remove("lit");
  if (!lit) return;
  const where = lit.pin ? document.querySelector(`[data-unit="${lit.place}"] [data-pin="${lit.pin}"]`) : document.getElementById(lit.place);
  if (where) where.classList.add("lit");
}

// A phone that has reported goes back to its player's own page when the guide goes on.
function homeAgain(lit) {
  const frame = document.querySelector("#phone iframe");
  const home = document.querySelector("#phone [data-path]").href;
  if (frame && !(lit && lit.place === "phone")) frame.src = home;
}

// Where an event of one's own begins: at this hub, or at the one beside which it is for practice.
let know = null;
const own = new Promise((resolve) => { know = resolve; });
onInfo((info) => {
  const there = new URL(`${info.hub}/console/new`, location.href);
  there.port = Number(there.port) - (info.above || 0);
  know(there.href);
});

let shown = "", step = -1, asked = null;
onNews(({ guide }) => {
  if (!guide) return;
  lightUp(guide.lit);
  if (guide.now !== step && step >= 0 && !(asked && asked.place === "phone")) homeAgain(guide.lit);
  [step, asked] = [guide.now, guide.lit];
  const now = JSON.stringify([guide.now, guide.steps, guide.what]);
  if (now === shown) return;
  shown = now;
  const list = document.getElementById("steps");
  list.hidden = false;
  document.getElementById("free").hidden = true;
  document.getElementById("said").textContent = guide.what.split("*").join("");
  list.textContent = "";
  list.append(...guide.steps.map((title, at) => {
    const line = document.createElement("li");
    line.dataset.number = `${at + 1}`;
    line.className = at < guide.now ? "done" : "";
    const isLast = at === guide.steps.length - 1;
    const head = document.createElement(at !== guide.now ? "span" : isLast ? "a" : "b");
    head.textContent = title;
    line.append(head);
    if (head.tagName === "A") own.then((address) => { head.href = address; });
    if (at === guide.now) line.setAttribute("aria-current", "step");
    if (at === guide.now && !isLast) {
      const what = document.createElement("p");
      what.append(...marked(guide.what));
      line.append(what);
    }
    return line;
  }));
  const current = list.querySelector("[aria-current]");
  if (current) current.scrollIntoView({ block: "nearest" });
  const end = document.getElementById("end");
  end.hidden = guide.now < guide.steps.length - 1;
  end.textContent = "";
  end.append(...marked(end.hidden ? "" : guide.what));
});
