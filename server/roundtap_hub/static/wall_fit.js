// Names as large as the screen lets them be: lists are measured and laid out in as few pages as keep the smallest type.
"use strict";
(() => {
  // Capitals that somebody reads from the other end of a hall, on a screen of which most halls have one.
  const CAPITALS_MM = 22;
  const SCREEN_MM = 55 * 25.4;
  // Columns, and whether opponent and record stand beside a name or under it. In brief: names without the record,
  // standings with one tiebreaker; bare: names without the opponent, standings without tiebreakers.
  const WAYS = [[1, true], [1, false], [2, true], [2, false], [3, false], [4, false]];
  const LEVELS = ["", " brief", " bare"];
  const [WHOLE, BRIEF, BARE] = [0, 1, 2];
  // Of more pages than these nobody waits for their own.
  const PAGES_MAX = 5;
  const ROWS_MAX = 40;
  const STEPS = 12;
  const AIR = 1.03;
  // Letters of any script: whatever is no space, digit or mark.
  const SHORT_END = / ([^\s\d!-\/:-@\[-`{-~]{1,3}\.?)$/u;
  const [TINY, SHRINK, NEARLY, WORTH] = [6, 0.985, 0.95, 1.1];

  const pen = document.createElement("canvas").getContext("2d");

  // What a capital's height is of the type's size, in the font that this machine has.
  let ratio = 0;
  function capitals() {
    if (!ratio) {
      pen.font = `600 200px ${getComputedStyle(document.body).fontFamily}`;
      ratio = pen.measureText("H").actualBoundingBoxAscent / 200 || 0.7;
    }
    return ratio;
  }

  // The smallest type, in px: the same millimetres whatever the screen's shape and resolution.
  const smallest = () => Math.hypot(innerWidth, innerHeight) * (CAPITALS_MM / SCREEN_MM) / capitals() * AIR;

  // What is no name is never smaller than --t1, which is in rem.
  function small() {
    const root = getComputedStyle(document.documentElement);
    return parseFloat(root.getPropertyValue("--t1")) * parseFloat(root.fontSize);
  }

  // --- what stands in the page, as lists that go over any number of pages
  function listsOf(picture) {
    const lists = [];
    const shape = innerWidth > innerHeight ? "wide" : "tall";
    for (const page of picture.querySelectorAll(".wall-page")) {
      const { list, name } = page.dataset;
      if (page.dataset.shape && page.dataset.shape !== shape) continue;
      const last = lists[lists.length - 1];
      const items = list ? [...page.querySelectorAll("li:not(.blank), tbody > tr")] : [];
      if (list && last && last.list === list) last.items.push(...items);
      else lists.push({ list, name, items, head: page.querySelector("thead"), page });
    }
    return lists;
  }

  // --- one layout: columns, and rows in each
  function copyOf(item) {
    const copy = item.cloneNode(true);
    // An initial does not stand on a line of its own.
    for (const name of copy.querySelectorAll(".wall-name bdi, .wall-across > bdi, th[scope=row] > bdi")) {
      name.textContent = name.textContent.replace(SHORT_END, "\u00a0$1");
    }
    return copy;
  }

  function column(list, items, rows) {
    const holder = document.createElement("div");
    holder.className = "wall-column";
    if (list.list === "names") {
      const names = document.createElement("ol");
      names.className = "wall-names";
      // Rows of a page are alike; a name of two lines takes what it needs.
      names.style.gridTemplateRows = `repeat(${rows}, minmax(min-content, 1fr))`;
      names.append(...items.map(copyOf));
      holder.append(names);
      return holder;
    }
    const table = document.createElement("table");
    table.className = "wall-ranks";
    if (list.head) table.append(list.head.cloneNode(true));
    const body = document.createElement("tbody");
    body.append(...items.map(copyOf));
    const wide = items.length ? items[0].cells.length : 1;
    for (let blank = items.length; blank < rows; blank += 1) {
      const row = body.insertRow();
      row.className = "blank";
      row.setAttribute("aria-hidden", "true");
      row.insertCell().colSpan = wide;
    }
    table.append(body);
    holder.append(table);
    return holder;
  }

  function pagesOf(list, [columns, beside, level], most) {
    const count = Math.ceil(list.items.length / most);
    const pages = [];
    for (let i = 0; i < count; i += 1) {
      const from = Math.floor(list.items.length * i / count);
      const items = list.items.slice(from, Math.floor(list.items.length * (i + 1) / count));
      const page = document.createElement("div");
      page.className = `wall-page${beside ? " beside" : ""}${LEVELS[level]}`;
      page.dataset.items = items.length;
      page.dataset.columns = columns;
      if (list.page.dataset.title) page.dataset.title = list.page.dataset.title;
      pages.push([page, items]);
    }
    // All pages of a list are laid out alike: nothing jumps when they turn.
    const rows = Math.ceil(Math.max(...pages.map(([, items]) => items.length)) / columns);
    for (const [page, items] of pages) {
      for (let c = 0; c < columns; c += 1) page.append(column(list, items.slice(c * rows, (c + 1) * rows), rows));
      page.first = items[0];
      page.last = items[items.length - 1];
    }
    return pages.map(([page]) => page);
  }

  // --- how much room a line takes, worked out from the widths of its words: nothing is laid out for it
  // In shares of a name's size, as wall.css has them; what is no name has a share of its own at each size.
  const LINE = 1.15;
  const [MORE, TABLE, SIGN, BYE, RANK, HEAD] = [0.5, 1.35, 1.05, 0.6, 0.72, 0.6 * 0.72];
  const [GAP, BESIDE, PADDING] = [0.35, 6, 0.5];
  const widths = new Map();
  let least = 0;
  const shareOf = (share, size) => Math.max(share, least / size);

  // In shares of its own size.
  function wide(text, weight) {
    const key = `${weight} ${text}`;
    if (!widths.has(key)) {
      pen.font = `${weight} 100px ${getComputedStyle(document.body).fontFamily}`;
      widths.set(key, pen.measureText(text).width / 100);
    }
    return widths.get(key);
  }

  // Words as a browser breaks them: after spaces, and after hyphens.
  const words = (text, weight) => (text.match(/[^\s-]*-|[^\s-]+/g) || [])
    .map((word) => ({ width: wide(word, weight), glued: word.endsWith("-") }));

  function rowsOf(parts, room, space) {
    let [rows, at] = [1, 0];
    for (const [place, { width }] of parts.entries()) {
      const gap = place && !parts[place - 1].glued ? space : 0;
      if (at && at + gap + width > room) { rows += 1; at = width; } else at += (at ? gap : 0) + width;
    }
    return rows;
  }

  const natural = (parts, space) => parts.reduce((sum, { width, glued }) => sum + width + (glued ? 0 : space), 0);
  const longest = (parts) => Math.max(0, ...parts.map(({ width }) => width));
  const said = (item, selector) => { const found = item.querySelector(selector); return found ? found.textContent.trim() : ""; };

  function measured(list) {
    if (list.list === "names") {
      return list.items.map((item) => {
        const across = words(said(item, ".wall-across").replace(SHORT_END, "\u00a0$1"), 400);
        return {
          name: words(said(item, ".wall-name > bdi").replace(SHORT_END, "\u00a0$1") || `■ ${said(item, ".one")}`, 600),
          // The other one of a pair, beside or under the first.
          second: words([...item.querySelectorAll(".one + .one")].map((one) => `■ ${one.textContent.trim()}`).join(), 600),
          small: words(said(item, ".wall-name > small"), 400),
          more: [[...across, ...words(said(item, ".wall-record").replace(/\s+/g, "\u00a0"), 400)], across, []],
          table: item.querySelector(".wall-table") ? wide(said(item, ".wall-table"), 700) * TABLE + SIGN : 0,
          bye: wide(said(item, ".wall-bye"), 400),
        };
      });
    }
    // Cells beside the name are as wide as the widest of their column.
    const rows = list.items.map((item) => [...item.cells]);
    const heads = list.head ? [...list.head.rows[0].cells] : [];
    const cellWide = (cell) => wide(cell.textContent.trim(), cell.matches(".decided, .rank, .moved") ? 700 : 400)
      + (cell.querySelector("svg") ? 1 : 0);
    const cells = [...(rows[0] || [])].flatMap((first, place) => (first.tagName === "TH" ? [] : [{
      cell: Math.max(place ? 0 : 2.2 - PADDING, ...rows.map((row) => cellWide(row[place]))),
      head: heads[place] ? wide(heads[place].textContent.trim(), 600) : 0,
      until: first.matches(".more") ? BRIEF : first.matches(".tie") ? BARE : Infinity,
    }]));
    return list.items.map((item) => ({
      name: [...words(said(item, "th > bdi").replace(SHORT_END, "\u00a0$1"), 600),
        ...[...item.querySelectorAll("th > small")].flatMap((small) => words(small.textContent, 400))],
      cells, table: 0, bye: 0, second: [], small: [], more: [[], [], []],
    }));
  }

  // What stands beside a name, in shares of its size.
  function asideOf(line, size, level) {
    if (!line.cells) return line.table || line.bye * shareOf(BYE, size);
    const [cell, head] = [shareOf(RANK, size), shareOf(HEAD, size)];
    return line.cells.filter((each) => level < each.until)
      .reduce((sum, each) => sum + Math.max(each.cell * cell, each.head * head) + PADDING * cell, PADDING * cell);
  }

  // In shares of a name's size: how high a line is in so wide a column; Infinity where a word does not fit.
  function height(line, room, [, beside, level], size, aside) {
    const share = shareOf(MORE, size);
    const [more, { small }] = [line.more[level], line];
    const left = room - aside - GAP * (beside ? 2 : 1);
    const both = [...line.name, ...line.second];
    const forName = beside ? Math.min(natural(both, 0.3), left - BESIDE) : left;
    const forMore = (beside ? left - forName : left) / share;
    // Widths are looked at once more where they stand: a little too much is no reason against a layout.
    if (longest(both) * NEARLY > forName || longest(more) * NEARLY > forMore) return Infinity;
    const apart = line.second.length && natural(both, 0.35) > forName ? [line.name, line.second] : [both];
    const rows = apart.reduce((sum, each) => sum + rowsOf(each, forName + 0.01, 0.35), 0) * LINE
      + (small.length ? rowsOf(small, forName / share, 0.4) * LINE * share : 0);
    const under = more.length ? rowsOf(more, forMore, 0.8) * LINE * share : 0;
    return beside ? Math.max(rows, under, TABLE) : Math.max(rows + under, aside && more.length ? TABLE : LINE);
  }

  // Whether everything stands on pages of `most` lines at this size, by these widths.
  function enough(list, way, most, size, { width, height: tall, gap }) {
    const [columns, , level] = way;
    const room = (width - gap * (columns - 1)) / columns / size;
    const high = tall / size - (list.head ? LINE * shareOf(HEAD, size) + 4 / size : 0);
    const aside = list.lines.length && list.lines[0].cells ? asideOf(list.lines[0], size, level) : 0;
    const count = Math.ceil(list.items.length / most);
    for (let i = 0; i < count; i += 1) {
      const lines = list.lines.slice(Math.floor(list.lines.length * i / count), Math.floor(list.lines.length * (i + 1) / count));
      const rows = Math.ceil(most / columns);
      for (let c = 0; c < columns; c += 1) {
        const sum = lines.slice(c * rows, (c + 1) * rows).reduce((all, line) => all
          + height(line, room, way, size, aside || asideOf(line, size)) + 2 / size, 0);
        if (sum > high) return false;
      }
    }
    return true;
  }

  function largest(list, way, most, box, from) {
    let [low, high] = [from, box.height / 2];
    for (let step = 0; step < STEPS; step += 1) {
      const middle = (low + high) / 2;
      if (enough(list, way, most, middle, box)) low = middle; else high = middle;
    }
    return low;
  }

  // The layout that shows everything on pages of `most` lines, with the largest names.
  function best(list, box, ways, most, least) {
    let found = { size: 0, way: ways[0], most };
    for (const way of ways.filter((each) => enough(list, each, most, least, box))) {
      const size = largest(list, way, most, box, least);
      // More columns only where they are worth it.
      if (size > found.size * WORTH) found = { size, way, most };
    }
    return found;
  }

  // So many lines hold on a page at this size, at the most.
  function capacity(list, box, ways, size) {
    const count = list.items.length;
    if (ways.some((way) => enough(list, way, count, size, box))) return count;
    let most = 0;
    for (const way of ways) {
      let rows = Math.min(ROWS_MAX, Math.ceil(count / way[0]));
      while (rows && !enough(list, way, way[0] * rows, size, box)) rows -= 1;
      most = Math.max(most, way[0] * rows);
    }
    return most;
  }

  // How much is told of everybody, and on how many pages: standings with fewer figures where a name would else be small;
  // names without their records where that saves a page, and without opponents where there are too many.
  function telling(list, box, levels, size, from) {
    const pages = [];
    for (const level of [WHOLE, BRIEF, BARE]) {
      pages.push(level < from ? Infinity : Math.ceil(list.items.length / capacity(list, box, levels[level], size)));
      if (list.list !== "names" && pages[level] < Infinity) return [level, pages[level]];
    }
    const fewest = Math.min(pages[WHOLE], pages[BRIEF]);
    const level = fewest > PAGES_MAX ? BARE : pages.indexOf(fewest);
    return [level, pages[level]];
  }

  function refill(box, content) {
    box.textContent = "";
    box.append(...content);
  }

  const within = (box) => box.scrollHeight <= box.clientHeight + 1 && box.scrollWidth <= box.clientWidth + 1;

  // Laid out once, and looked at: what was worked out a little too large is made smaller, or goes over more pages.
  function laidOut(holder, list) {
    const count = list.items.length;
    list.lines = measured(list);
    const gap = 2 * parseFloat(getComputedStyle(document.documentElement).fontSize);
    const box = { width: holder.clientWidth, height: holder.clientHeight, gap };
    const levels = [WHOLE, BRIEF, BARE].map((level) => WAYS.filter(([columns, beside]) => columns <= count
      && !(beside && (list.list !== "names" || level === BARE))).map(([columns, beside]) => [columns, beside, level]));
    least = small();
    // Where a single name is too wide for it, all are as large as that one can be.
    let size = smallest();
    let [more, from] = [0, WHOLE];
    for (;;) {
      while (size > TINY && !capacity(list, box, levels[BARE], size)) size *= SHRINK;
      const [level, fewest] = telling(list, box, levels, size, from);
      const sheets = Math.min(count, fewest + more);
      const found = best(list, box, levels[level], Math.ceil(count / sheets), size);
      const pages = pagesOf(list, found.way, found.most);
      refill(holder, pages);
      let columns = [];
      for (let now = found.size || size; now >= size / AIR; now *= SHRINK) {
        for (const page of pages) page.style.setProperty("--name", `${now}px`);
        columns = [...holder.querySelectorAll(".wall-column")].filter((each) => !within(each));
        if (!columns.length) return pages;
      }
      if (size <= TINY) return pages;
      if (sheets < count && !columns.some((each) => each.scrollWidth > each.clientWidth + 1)) more += 1;
      else if (list.list !== "names" && level < BARE) from = level + 1;
      else size *= NEARLY;
    }
  }

  // --- the index: letters of names, places of ranks, or what the page is
  // As the hub sorts them: accented letters beside their plain ones.
  const ALIKE = { Ł: "L", Ø: "O", Đ: "D" };
  function plain(text) {
    const [letter = ""] = text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toUpperCase();
    return ALIKE[letter] || letter;
  }

  function indexOf(list, page) {
    if (list.name) return list.name;
    if (list.list === "names") {
      const [from, to] = [page.first, page.last].map((item) => (item.matches(".pair") ? said(item, ".wall-table")
        : plain(item.querySelector(".wall-name").textContent.trim())));
      return from === to ? from : `${from}–${to}`;
    }
    const [from, to] = [page.first, page.last].map((item) => item.querySelector(".rank").textContent.trim());
    return `${from}–${to}`;
  }

  let known = "";

  function fit() {
    const picture = document.getElementById("picture");
    const main = document.getElementById("main");
    const lists = picture ? listsOf(picture) : [];
    let holder = document.getElementById("fitted");
    if (!lists.length) {
      if (holder) holder.remove();
      document.documentElement.classList.remove("fitted");
      known = "";
      return;
    }
    if (!holder) {
      holder = document.createElement("div");
      holder.id = "fitted";
      holder.className = picture.className;
      main.insertBefore(holder, picture);
    }
    document.documentElement.classList.add("fitted");
    const room = holder.clientHeight;
    const now = [innerWidth, innerHeight, holder.clientWidth, holder.clientHeight,
      ...lists.map(({ list, page, items }) => (list ? items.map((item) => item.outerHTML).join("") : page.innerHTML))].join("\n");
    if (now !== known || !holder.children.length) {
      holder.className = picture.className;
      const pages = [];
      for (const list of lists) {
        const made = list.list ? laidOut(holder, list) : [solo(list)];
        for (const page of made) page.dataset.index = list.list ? indexOf(list, page) : list.name || "";
        pages.push(...made);
      }
      refill(holder, pages);
      pages.forEach(crown);
      known = now;
    }
    const foot = picture.querySelector(".wall-index");
    if (!foot) return;
    const marks = [...holder.children].map((page) => {
      const mark = document.createElement("span");
      mark.textContent = page.dataset.index;
      return mark;
    });
    refill(foot, marks.length > 1 ? marks : []);
    // An index that comes or goes leaves less room, or more.
    if (holder.clientHeight !== room) fit();
  }

  function solo({ page }) {
    const copy = page.cloneNode(true);
    copy.classList.remove("current");
    for (const name of ["page", "key"]) delete copy.dataset[name];
    return copy;
  }

  // The champion's name as large as it fits.
  function crown(page) {
    const name = page.querySelector(".champion-name");
    if (!name) return;
    name.firstElementChild.textContent = name.textContent.trim().replace(SHORT_END, "\u00a0$1");
    let [low, high] = [small(), innerHeight];
    for (let step = 0; step < STEPS; step += 1) {
      const middle = (low + high) / 2;
      page.style.setProperty("--champion", `${middle}px`);
      if (within(page) && name.scrollWidth <= name.clientWidth + 1) low = middle; else high = middle;
    }
    page.style.setProperty("--champion", `${low}px`);
  }

  let soon = 0;
  addEventListener("resize", () => { clearTimeout(soon); soon = setTimeout(() => { fit(); if (window.roundtapWall) window.roundtapWall.turn(); }, 150); });
  window.roundtapFit = { fit, smallest, capitals };
})();
