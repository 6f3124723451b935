"use strict";
(() => {
  const root = document.documentElement;
  const find = (id) => document.getElementById(id);
  root.classList.add("js");

  // Colours: as the system, or chosen, which the browser remembers where it may.
  const themes = ["", "light", "dark"], names = ["as the system", "light", "dark"];
  const stored = () => { try { return localStorage.getItem("ipda-theme") || ""; } catch { return ""; } };
  const paint = (theme) => {
    if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
    find("theme").textContent = "Colours: " + names[themes.indexOf(theme)];
  };
  let theme = themes.includes(stored()) ? stored() : "";
  paint(theme);
  find("theme").addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % 3];
    paint(theme);
    try { localStorage.setItem("ipda-theme", theme); } catch { /* It lasts as long as the page. */ }
  });

  // On narrow screens a row stands in one block, and its numbers need their titles.
  for (const table of document.querySelectorAll(".rows table")) {
    const heads = [...table.querySelectorAll("thead th")].map((th) => th.textContent);
    for (const row of table.tBodies[0].rows)
      for (const cell of row.querySelectorAll(".num")) cell.dataset.h = heads[cell.cellIndex];
  }

  const filter = find("filter");
  if (filter) filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase();
    for (const section of document.querySelectorAll(".rows")) {
      const more = section.querySelector("details");
      if (more) more.open = wanted !== "";
      for (const row of section.querySelectorAll("tbody tr")) row.hidden = !(row.textContent + " " + (row.dataset.f || "")).toLowerCase().includes(wanted);
    }
  });

  // A click on a title sorts by its column: numbers the largest first, a second click the other way round.
  const cell = (row, at) => { const td = row.cells[at]; return td ? td.dataset.v ?? td.textContent.trim() : ""; };
  for (const section of document.querySelectorAll(".rows")) {
    const tables = [...section.querySelectorAll("table")];
    for (const table of tables) for (const th of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...th.childNodes);
      th.append(button);
      button.addEventListener("click", () => {
        const at = th.cellIndex, down = th.getAttribute("aria-sort") !== "descending";
        const rows = tables.flatMap((each) => [...each.tBodies[0].rows]);
        const isNumber = rows.every((row) => cell(row, at) === "" || !isNaN(cell(row, at)));
        const order = (a, b) => isNumber ? cell(b, at) - cell(a, at) : cell(b, at).localeCompare(cell(a, at), undefined, { numeric: true });
        const up = isNumber ? !down : down;
        rows.sort((a, b) => up ? -order(a, b) : order(a, b));
        let next = 0;
        for (const each of tables) {
          const count = each.tBodies[0].rows.length;
          each.tBodies[0].append(...rows.slice(next, next + count));
          next += count;
          for (const other of each.tHead.rows[0].cells) other.removeAttribute("aria-sort");
          each.tHead.rows[0].cells[at].setAttribute("aria-sort", down ? "descending" : "ascending");
        }
      });
    }
  }

  const panel = find("panel");
  if (!panel) return;
  // A glance at a mark, without leaving the place; the mark's own label says the same to those who do not see it.
  const tip = find("tip");
  const hide = () => { tip.style.display = "none"; };
  const known = new Set();
  const isNew = (link) => !known.has(link.hash) && known.add(link.hash);
  const marks = [...document.querySelectorAll(".m, .t")].filter(isNew);
  // Without a source the rows of the tables take the place of the marks.
  const stops = marks.length ? marks : [...document.querySelectorAll(".rows td a")];
  const linksTo = new Map();
  for (const link of document.querySelectorAll(".m, .t")) {
    const id = link.getAttribute("href").slice(1);
    if (!linksTo.has(id)) linksTo.set(id, []);
    linksTo.get(id).push(link);
  }
  let shown = null, from = null, lit = [];

  const light = (element) => { element.classList.add("on"); lit.push(element); };
  const clear = () => {
    for (const element of lit) element.classList.remove("on");
    lit = [];
    shown = null;
  };
  // An address names an entry by its place in the source, which lasts longer than its number.
  const byPlace = new Map();
  for (const entry of document.querySelectorAll(".entry[data-at]"))
    if (!byPlace.has(entry.dataset.at)) byPlace.set(entry.dataset.at, entry);
  const entryOf = (hash) => {
    let name = hash;
    try { name = decodeURIComponent(hash); } catch { /* It is no name of ours. */ }
    const entry = find(name) || byPlace.get(name);
    return entry && entry.classList.contains("entry") ? entry : null;
  };
  const hashOf = (entry) => "#" + (byPlace.get(entry.dataset.at) === entry ? encodeURI(entry.dataset.at) : entry.id);
  const show = (hash, focus) => {
    const entry = entryOf(hash);
    if (!entry) return false;
    const id = entry.id;
    clear();
    hide();
    shown = id;
    light(entry);
    root.classList.add("open");
    panel.scrollTop = 0;
    for (const link of linksTo.get(id) || []) {
      light(link);
      const line = link.closest(".l");
      light(line);
      // The line's one mark may be that of another access.
      light(line.querySelector(".m"));
    }
    panel.querySelector(".hint").hidden = true;
    if (focus) entry.focus({ preventScroll: true });
    return true;
  };
  const leave = () => {
    clear();
    root.classList.remove("open");
    panel.querySelector(".hint").hidden = false;
  };
  const close = () => {
    leave();
    history.replaceState(null, "", location.pathname + location.search);
    if (from && from.isConnected) from.focus();
  };
  find("close").addEventListener("click", close);

  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const id = link.getAttribute("href").slice(1);
    const inPanel = panel.contains(link);
    if (!inPanel) from = link;
    if (show(id, inPanel || event.detail === 0)) {
      event.preventDefault();
      const hash = hashOf(find(shown));
      if (hash !== decodeURI(location.hash) && hash !== location.hash) history.pushState(null, "", hash);
      if (inPanel) reveal();
    }
  });
  // The line of what is shown, where it cannot be seen.
  const reveal = () => {
    const link = (linksTo.get(shown) || [])[0];
    if (!link) return;
    const box = link.getBoundingClientRect();
    if (box.top < 0 || box.bottom > innerHeight) link.scrollIntoView({ block: "center", behavior: "instant" });
  };
  const follow = () => {
    const hash = location.hash.slice(1);
    if (show(hash, false)) reveal(); else if (!hash) leave();
  };
  window.addEventListener("popstate", follow);
  window.addEventListener("hashchange", follow);
  follow();

  const step = (by) => {
    if (!stops.length) return;
    const current = stops.findIndex((stop) => stop.getAttribute("href") === "#" + shown);
    let next = current < 0 ? (by > 0 ? 0 : stops.length - 1) : current + by;
    next = Math.min(Math.max(next, 0), stops.length - 1);
    from = stops[next];
    const more = from.closest("details");
    if (more) more.open = true;
    from.focus({ preventScroll: true });
    from.scrollIntoView({ block: "nearest" });
    show(from.getAttribute("href").slice(1), false);
    history.replaceState(null, "", hashOf(find(shown)));
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inField = event.target.closest && event.target.closest("input");
    if (event.key === "Escape") {
      hide();
      if (inField) inField.blur(); else if (shown) close();
    } else if (!inField && event.key === "j") step(1);
    else if (!inField && event.key === "k") step(-1);
    else return;
    event.preventDefault();
  });

  const glance = (event) => {
    const link = event.target.closest && event.target.closest(".m, .t");
    const entry = link && find(link.getAttribute("href").slice(1));
    if (!entry || entry.id === shown) return hide();
    tip.replaceChildren();
    for (const part of [entry.querySelector("h3"), entry.querySelector(".verdict, .done, p:not(.sub)"), entry.querySelector("figure")])
      if (part) {
        const copy = part.cloneNode(true);
        copy.removeAttribute("id");
        tip.append(copy);
      }
    tip.style.display = "block";
    const box = link.getBoundingClientRect(), size = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(box.left, innerWidth - size.width - 8)) + "px";
    tip.style.top = (box.bottom + size.height + 8 < innerHeight ? box.bottom + 6 : Math.max(4, box.top - size.height - 6)) + "px";
  };
  document.addEventListener("mouseover", glance);
  document.addEventListener("scroll", hide, { passive: true });
})();
