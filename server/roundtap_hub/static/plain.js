// Loads a page anew until its scripts run, where a browser cannot read them: in words that the oldest ones know.
function roundtapPlain() {
  var field = document.activeElement, asked = new XMLHttpRequest();
  if (window.roundtapRuns && !window.roundtapRuns.length) { return; }
  setTimeout(roundtapPlain, 15000);
  if (field && /^(INPUT|SELECT|TEXTAREA)$/.test(field.tagName)) { return; }
  // Only a hub that is there is asked for the page: else what stands on it would be gone, too.
  asked.onload = function () {
    var to = document.body.getAttribute("data-address") || location.pathname + location.search;
    if (asked.status === 200) { location.replace(to); }
  };
  asked.open("GET", "/time");
  asked.send();
}
setTimeout(roundtapPlain, 15000);
