// Loads a page anew until its scripts run, where a browser cannot read them: in words that the oldest ones know.
function roundtapPlain() {
  var field = document.activeElement, fields = document.getElementsByTagName("input"), at, asked = new XMLHttpRequest();
  if (window.roundtapRuns && !window.roundtapRuns.length) { return; }
  setTimeout(roundtapPlain, 15000);
  if (field && /^(INPUT|SELECT|TEXTAREA)$/.test(field.tagName)) { return; }
  for (at = 0; at < fields.length; at += 1) {
    if (fields[at].value !== fields[at].defaultValue || fields[at].checked !== fields[at].defaultChecked) { return; }
  }
  // Only a hub that is there is asked for the page: else what stands on it would be gone, too.
  asked.onload = function () {
    var to = document.body.getAttribute("data-address");
    if (asked.status === 200 && to) { location.replace(to); } else if (asked.status === 200) { location.reload(); }
  };
  asked.open("GET", "/time");
  asked.send();
}
setTimeout(roundtapPlain, 15000);
