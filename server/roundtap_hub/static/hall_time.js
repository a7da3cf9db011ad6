// The hub's clock beside this browser's: where they differ by more than a minute, one press sets the hub's.
"use strict";
(() => {
  const AWAY_MS = 60000;
  for (const form of document.querySelectorAll("form[data-ahead-ms]")) {
    const hubMs = Number(document.body.dataset.now) + Number(form.dataset.aheadMs);
    if (Math.abs(Date.now() - hubMs) > AWAY_MS) form.hidden = false;
    // At the press, not before: the page may have stood there for an hour.
    form.addEventListener("submit", () => { form.elements.epoch_ms.value = String(Date.now()); });
  }
})();
