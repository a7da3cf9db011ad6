// A display's own page: it goes where the console sends it, and shows its name when somebody asks which one it is.
"use strict";
(() => {
  const NAMED_MS = 10 * 1000;
  let timer = 0;

  function name(said) {
    const shown = document.getElementById("display-name");
    shown.querySelector("b").textContent = said;
    shown.classList.add("asked");
    clearTimeout(timer);
    timer = setTimeout(() => shown.classList.remove("asked"), NAMED_MS);
  }

  document.addEventListener("roundtap:display", ({ detail }) => {
    // A wall that is loaded where the hub is just gone would show the browser's own words until somebody comes.
    if (detail.elsewhere) fetch("/time", { cache: "no-store" }).then(({ ok }) => { if (ok) location.reload(); }, () => {});
    else if (detail.name) name(detail.name);
  });
})();
