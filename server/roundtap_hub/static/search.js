// A list that shrinks while a name or a table is typed. What is typed is folded and looked for as roundtap_core/names.py
// does it, which says why.
"use strict";
(() => {
  const DROPPED = /['`\u00ad\u00b4\u00b7\u02b9-\u02cb\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u200b-\u200f\u2018-\u201b\u202a-\u202e\u2032\u2035\u2060-\u2069\u20d0-\u20f0\u3099\u309a\ufe00-\ufe0f\ufeff]/g;
  const APART = /[\u0000-/:-@[-`{-\u00bf\u00d7\u00f7\u060c\u2000-\u206f\u3000-\u303f\u30fb]+/g;
  const ODD = /[øłđðıħŧŋəςґیىکةßæœþ]/g;
  // As many as a last name has.
  const JOINED_MAX = 4;
  const PLAIN = [..."olddihtneσгييكه", "ss", "ae", "oe", "th"];
  const fold = (text) => text.replace(DROPPED, "").normalize("NFKD").toLowerCase().replace(DROPPED, "")
    .replace(ODD, (letter) => PLAIN[ODD.source.indexOf(letter) - 1]).replace(APART, " ").trim();
  const rough = (word) => word.replace(/a+e*|[ou]e*|s+|d[hj]|th/g, (two) => two[0]);
  const stands = (word, text) => [word, rough(word)].some((each) => text.includes(each)
    || text.split(" ").some((part) => part.endsWith(".") && each.startsWith(part.slice(0, -1))));
  const finds = (words, text, joined) => words.every((_, last) => words.some((_, first) => (joined ? first <= last && last < first + JOINED_MAX : first === last)
    && stands(words.slice(first, last + 1).join(""), text)));

  function filter(input) {
    const words = fold(input.value).split(" ").filter(Boolean);
    const items = [...document.querySelectorAll(`${input.dataset.filter} > [data-text]`)];
    const found = (joined) => items.filter((item) => finds(words, item.dataset.text, joined));
    const first = found(false);
    const shown = new Set(first.length ? first : found(true));
    for (const item of items) item.hidden = !shown.has(item);
    const none = document.querySelector(`${input.dataset.filter}-none`);
    if (none) none.hidden = shown.size > 0 || (items.length === 0 && words.length === 0);
  }
  const filterAll = () => document.querySelectorAll("[data-filter]").forEach(filter);

  document.addEventListener("input", ({ target }) => {
    if (target.matches("[data-filter]")) filter(target);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("[data-filter]")) return;
    const first = document.querySelector(`${event.target.dataset.filter} > [data-text]:not([hidden])`);
    const link = first && first.querySelector("a, summary");
    // The list is all there is: the hub would answer with the same.
    if (link || event.target.form.action.split("?")[0] === location.href.split(/[?#]/)[0]) event.preventDefault();
    if (link) link.click();
  });
  document.addEventListener("roundtap:swapped", filterAll);
  filterAll();
})();
