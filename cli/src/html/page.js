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
      for (const row of section.querySelectorAll("tbody tr")) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    }
  });

  const panel = find("panel");
  if (!panel) return;
  const marks = [...document.querySelectorAll(".m")];
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
  const show = (id, focus) => {
    const entry = find(id);
    if (!entry || !entry.classList.contains("entry")) return false;
    clear();
    hide();
    shown = id;
    light(entry);
    root.classList.add("open");
    panel.scrollTop = 0;
    for (const link of linksTo.get(id) || []) {
      light(link);
      light(link.closest(".l"));
    }
    panel.querySelector(".hint").hidden = true;
    if (focus) entry.focus({ preventScroll: true });
    return true;
  };
  const close = () => {
    clear();
    root.classList.remove("open");
    panel.querySelector(".hint").hidden = false;
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
      history.replaceState(null, "", "#" + id);
    }
  });
  window.addEventListener("hashchange", () => show(location.hash.slice(1), false));
  show(location.hash.slice(1), false);

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
    history.replaceState(null, "", "#" + shown);
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

  // A glance at a mark, without leaving the place; the mark's own label says the same to those who do not see it.
  const tip = find("tip");
  const hide = () => { tip.style.display = "none"; };
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
