// Sounds of walls and players' phones; and a wall that is heard when a round starts, at five minutes and at time: each
// once, and never long after it.
"use strict";
(() => {
  const FIVE_MS = 5 * 60 * 1000;
  const LATE_MS = 3000;
  // Pitch in hertz (0: silence) and seconds, as the hub's own audio out has them.
  const TONES = {
    start: [[660, 0.25], [0, 0.08], [880, 0.6]],
    five: [[880, 0.2], [0, 0.12], [880, 0.2]],
    time: [[880, 0.5], [0, 0.12], [880, 0.5], [0, 0.12], [660, 1.2]],
    reported: [[660, 0.15], [0, 0.08], [990, 0.3]],
  };
  const HEARD = "roundtap:heard";
  const Context = window.AudioContext || window.webkitAudioContext;
  if (!Context) return;
  let context = null;
  const press = document.getElementById("sound-press");
  let clock = null;
  let before = null;

  function play(moment) {
    let at = context.currentTime + 0.05;
    for (const [pitch, seconds] of TONES[moment]) {
      if (pitch) {
        const tone = context.createOscillator();
        const volume = context.createGain();
        tone.frequency.value = pitch;
        // A tone that is cut off cracks: it swells and fades.
        volume.gain.setValueAtTime(0, at);
        volume.gain.linearRampToValueAtTime(0.8, at + 0.01);
        volume.gain.setValueAtTime(0.8, at + seconds - 0.01);
        volume.gain.linearRampToValueAtTime(0, at + seconds);
        tone.connect(volume);
        volume.connect(context.destination);
        tone.start(at);
        tone.stop(at + seconds);
      }
      at += seconds;
    }
  }

  // Opened only where somebody wants to hear: a browser complains of any other.
  function open() {
    if (!context) context = new Context();
    return context;
  }
  window.roundtapSounds = { open, play };
  if (!("sound" in document.body.dataset)) return;
  open();

  // A page that was loaded again knows what was heard just before, where the browser keeps it.
  let heard = {};
  try { heard = JSON.parse(sessionStorage.getItem(HEARD) || "{}"); } catch (error) { /* As above. */ }

  function sound(moment, when) {
    const key = `${clock.event} ${moment}`;
    if (Math.abs(heard[key] - when) <= LATE_MS) return;
    heard[key] = when;
    try { sessionStorage.setItem(HEARD, JSON.stringify(heard)); } catch (error) { /* As above. */ }
    if (context.state === "running") play(moment);
  }

  function look() {
    const silent = context.state !== "running";
    if (press.hidden === silent) press.hidden = !silent;
    if (!clock || !window.roundtap.known()) return;
    const now = window.roundtap.hubNow();
    const running = clock.state === "running";
    const left = running && clock.deadline_ms !== null ? clock.deadline_ms - now : clock.remaining_ms;
    const timed = clock.total_ms !== null && left !== null;
    const over = timed && left <= 0 && (!clock.open_end || clock.over);
    const was = before;
    before = { state: clock.state, left, over };
    if (!running) return;
    // A page that has just come does not know what was: the clock itself says when it was started.
    const began = timed ? clock.deadline_ms - clock.remaining_ms : null;
    const fresh = began !== null && clock.remaining_ms === clock.total_ms && now - began <= LATE_MS;
    if (was ? was.state === "idle" : fresh) {
      if (began === null || now - began <= LATE_MS) sound("start", began === null ? now : began);
    }
    if (!timed) return;
    if (over && !(was && was.over) && -left <= LATE_MS) sound("time", now + left);
    const isFive = left <= FIVE_MS && left > FIVE_MS - LATE_MS && clock.total_ms > FIVE_MS;
    if (isFive && !(was && was.left <= FIVE_MS)) sound("five", now + left - FIVE_MS);
  }

  document.addEventListener("roundtap:clock", ({ detail }) => { clock = detail; look(); });
  const wake = () => { context.resume().then(look); };
  for (const kind of ["click", "keydown"]) document.addEventListener(kind, wake);
  context.addEventListener("statechange", look);
  window.roundtap.everySecond(look);
  look();
})();
