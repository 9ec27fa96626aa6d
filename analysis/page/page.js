"use strict";
// Tables: a header is a button that sorts by its column, down, up, and as it was.
(() => {
  const NEXT = { none: "descending", descending: "ascending", ascending: "none" };
  const MISSING = new Set(["", "–", "-", "not recorded"]);
  const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  const text = (row, column) => (row.cells[column]?.textContent ?? "").trim();

  const number = (shown) => {
    const found = /^[-+−]?[\d,]*\.?\d+/.exec(shown);
    return found ? Number(found[0].replace("−", "-").replaceAll(",", "")) : NaN;
  };

  const sort = (table, header, column, original) => {
    const body = table.tBodies[0];
    const state = NEXT[header.getAttribute("aria-sort") ?? "none"];
    for (const other of header.parentElement.cells) other.setAttribute("aria-sort", "none");
    header.setAttribute("aria-sort", state);
    if (state === "none") {
      body.append(...original);
      return;
    }
    const there = original.filter((row) => !MISSING.has(text(row, column)));
    const gone = original.filter((row) => MISSING.has(text(row, column)));
    const numeric = there.every((row) => !Number.isNaN(number(text(row, column))));
    const up = state === "ascending" ? 1 : -1;
    there.sort((a, b) => {
      const [first, second] = [text(a, column), text(b, column)];
      return up * (numeric ? number(first) - number(second) : words.compare(first, second));
    });
    // What is not known is neither high nor low.
    body.append(...there, ...gone);
  };

  for (const table of document.querySelectorAll("main table")) {
    const body = table.tBodies[0];
    const head = table.tHead?.rows[0];
    if (!body || !head || body.rows.length < 3) continue;
    const original = [...body.rows];
    [...head.cells].forEach((header, column) => {
      if (!header.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.title = "Sort by this column";
      button.append(...header.childNodes);
      button.addEventListener("click", () => sort(table, header, column, original));
      header.append(button);
      header.setAttribute("aria-sort", "none");
    });
  }

  // A table wider than the screen is scrolled by keyboard too.
  const reach = () => {
    for (const frame of document.querySelectorAll(".table, pre")) {
      if (frame.scrollWidth > frame.clientWidth) frame.tabIndex = 0;
      else frame.removeAttribute("tabindex");
    }
  };
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
  reach();

  // Paper can't be unfolded.
  const folded = [];
  addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("details:not([open])")) {
      part.open = true;
      folded.push(part);
    }
  });
  addEventListener("afterprint", () => {
    for (const part of folded.splice(0)) part.open = false;
  });
})();
