// The units that wait, looked at again every few seconds; what is being typed, and whatever has the focus, stays as it is.
"use strict";
(() => {
  const EVERY_MS = 3000;

  async function look() {
    const here = document.getElementById("waiting");
    if (!here || document.hidden || here.contains(document.activeElement)) return;
    // The list's own link: a page that answers a form stands under that one's address.
    const link = here.querySelector("p > a.button");
    const answer = await fetch(link.href, { redirect: "error" });
    if (!answer.ok) return;
    const there = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("waiting");
    if (there && there.innerHTML !== here.innerHTML && !here.contains(document.activeElement)) here.innerHTML = there.innerHTML;
  }

  // A hub that is away for a moment: the list stays, and is looked at again.
  setInterval(() => look().catch(() => {}), EVERY_MS);
})();
