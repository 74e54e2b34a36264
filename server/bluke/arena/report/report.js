"use strict";
// Everything can be read without this: it sorts tables, changes the colours, and opens what a link or the printer wants.
(() => {
  const root = document.documentElement;

  const themes = { "": "as the system", light: "light", dark: "dark" };
  const theme = document.getElementById("theme");
  const remember = (name) => { try { localStorage.setItem("bluke-theme", name); } catch { /* not allowed to: then it holds for this page */ } };
  const remembered = () => { try { return localStorage.getItem("bluke-theme") || ""; } catch { return ""; } };
  const show = (name) => {
    if (name) root.dataset.theme = name; else delete root.dataset.theme;
    theme.textContent = `Colours: ${themes[name]}`;
  };
  let chosen = remembered() in themes ? remembered() : "";
  show(chosen);
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const names = Object.keys(themes);
    chosen = names[(names.indexOf(chosen) + 1) % names.length];
    remember(chosen);
    show(chosen);
  });

  // What a cell is worth: the number that it begins with, whatever sign or bound is written before it.
  const worth = (cell) => {
    const text = cell.textContent.trim().replace(/\u2212/g, "-").replace(/,/g, "").replace(/^[<>]/, "");
    return /^[+-]?[0-9.]/.test(text) ? parseFloat(text) : NaN;
  };
  const compare = (a, b, words) => {
    if (words) return a.textContent.localeCompare(b.textContent, "en", { numeric: true });
    return worth(a) - worth(b);
  };
  const sort = (table, at, head) => {
    const up = head.getAttribute("aria-sort") === (head.classList.contains("w") ? "ascending" : "descending");
    // Words begin with a, numbers with the greatest; a second press turns the order round.
    const ascending = head.classList.contains("w") ? !up : up;
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const known = (row) => head.classList.contains("w") || !Number.isNaN(worth(row.cells[at]));
    rows.sort((a, b) => {
      if (known(a) !== known(b)) return known(a) ? -1 : 1;
      if (!known(a)) return 0;
      const order = compare(a.cells[at], b.cells[at], head.classList.contains("w"));
      return ascending ? order : -order;
    });
    body.append(...rows);
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  };
  for (const table of document.querySelectorAll("table")) {
    if (table.tBodies[0].rows.length < 2) continue;
    [...table.tHead.rows[0].cells].forEach((head, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => sort(table, at, head));
    });
  }

  // Paper cannot be clicked.
  addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("details:not([open])")) {
      part.dataset.closed = "";
      part.open = true;
    }
  });
  addEventListener("afterprint", () => {
    for (const part of document.querySelectorAll("details[data-closed]")) {
      delete part.dataset.closed;
      part.open = false;
    }
  });
})();
