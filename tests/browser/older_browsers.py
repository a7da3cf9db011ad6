"""Browsers that lack something, one thing each, as data: what is taken from a page before its scripts run."""

REMOVED = {
    "AbortSignal.timeout": "delete AbortSignal.timeout;",
    "AbortController": "delete window.AbortController; delete window.AbortSignal;",
    "the pressed button in FormData": "window.FormData = class extends FormData "
    "{ constructor(form) { super(form); } };",
    "the pressed button of an event": "delete SubmitEvent.prototype.submitter; delete window.SubmitEvent;",
    "replaceChildren": "for (const each of [Element, Document, DocumentFragment]) "
    "delete each.prototype.replaceChildren;",
    "at": "for (const each of [Array, String]) delete each.prototype.at;",
    "replaceAll and matchAll": "delete String.prototype.replaceAll; delete String.prototype.matchAll;",
    "what arrays have of late": "for (const name of ['findLast', 'toSorted', 'toReversed', 'toSpliced', 'with']) "
    "delete Array.prototype[name];",
    "Object.fromEntries": "delete Object.fromEntries; delete Object.groupBy;",
    "ResizeObserver": "delete window.ResizeObserver;",
    "EventSource": "delete window.EventSource;",
    "storage": "for (const name of ['sessionStorage', 'localStorage']) Object.defineProperty(window, name, "
    "{ get() { throw new DOMException('kept by nobody', 'SecurityError'); } });",
    "PointerEvent": "delete window.PointerEvent; delete Element.prototype.setPointerCapture;",
    "wakeLock and vibrate": "delete Navigator.prototype.wakeLock; delete Navigator.prototype.vibrate;",
    "showModal": "delete HTMLDialogElement.prototype.showModal; delete HTMLDialogElement.prototype.show;",
    "structuredClone": "delete window.structuredClone; delete window.queueMicrotask; delete window.globalThis;",
    "reportError": "delete window.reportError;",
    "crypto.randomUUID": "delete Crypto.prototype.randomUUID;",
    "Intl": "delete window.Intl;",
    "AudioContext": "delete window.AudioContext; delete window.webkitAudioContext;",
    "requestSubmit": "delete HTMLFormElement.prototype.requestSubmit;",
    "the navigation's entry": "performance.getEntriesByType = () => [];",
}
"""What a browser lacks → what takes it away."""

ALL_BUT_FEEDS = "\n".join(script for name, script in REMOVED.items() if name != "EventSource")
"""A browser of the floor has feeds."""

STOPPED = """
    // A script that fails half way: the {n}th thing that it wants to hear of is refused.
    let left = {n};
    const listen = Document.prototype.addEventListener;
    Document.prototype.addEventListener = function (...said) {
        left -= 1;
        if (left < 0) throw new TypeError("addEventListener is not a function");
        return listen.apply(this, said);
    };
"""
