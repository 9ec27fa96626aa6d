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

  // A table wider than the screen says so, and is scrolled by keyboard too.
  const reach = () => {
    for (const frame of document.querySelectorAll(".table, pre")) {
      const inner = frame.querySelector("table")?.offsetWidth ?? frame.scrollWidth;
      const wide = inner > frame.clientWidth + 1;
      frame.classList.toggle("wide", wide);
      if (wide) frame.tabIndex = 0;
      else frame.removeAttribute("tabindex");
    }
  };
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
  reach();

  // Charts: what is at a mark, beside the pointer.
  const tip = document.createElement("div");
  tip.className = "tip";
  for (const layer of document.querySelectorAll(".spots")) {
    for (const spot of layer.children) {
      const said = spot.querySelector("title");
      spot.dataset.said = said.textContent;
      said.remove();
    }
    layer.addEventListener("pointerover", (event) => {
      if (event.target.dataset.said === undefined) return;
      tip.textContent = event.target.dataset.said;
      const chart = layer.parentElement;
      chart.append(tip);
      const [frame, mark] = [chart, event.target].map((it) => it.getBoundingClientRect());
      const left = mark.left - frame.left + mark.width / 2 - tip.offsetWidth / 2;
      const above = mark.top - frame.top - tip.offsetHeight - 6;
      tip.style.left = `${Math.max(0, Math.min(left, frame.width - tip.offsetWidth))}px`;
      tip.style.top = `${above >= 0 ? above : mark.bottom - frame.top + 6}px`;
    });
    layer.addEventListener("pointerout", () => tip.remove());
  }

  // Rows and marks of one kind of text: the others go. What is of all prompts stays.
  const marked = [...document.querySelectorAll("[data-workload]")];
  const kinds = [...new Set(marked.map((it) => it.dataset.workload))];
  if (kinds.length > 1) {
    const line = document.createElement("p");
    const label = document.createElement("label");
    const choice = document.createElement("select");
    line.className = "filter";
    label.textContent = "Show";
    label.htmlFor = choice.id = "kind-of-text";
    choice.append(new Option("every workload", ""), ...kinds.map((it) => new Option(it, it)));
    line.append(label, choice);
    const nav = document.querySelector("nav");
    if (nav) nav.append(line);
    else document.querySelector("main").prepend(line);
    const show = () => {
      for (const it of marked) {
        const other = choice.value !== "" && it.dataset.workload !== choice.value;
        if (it.tagName === "TR") it.hidden = other;
        else it.classList.toggle("other", other);
      }
      reach();
    };
    choice.addEventListener("change", show);
    show();
  }
})();
