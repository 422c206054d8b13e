"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const words = (element, name) => (element.dataset[name] || "").split(" ").filter(Boolean);

  // Tabs: a button shows the panel it names and hides those of its siblings.
  for (const button of all("[data-shows]")) {
    button.addEventListener("click", () => {
      for (const other of all("[data-shows]", button.parentElement)) {
        const chosen = other === button;
        other.setAttribute("aria-selected", String(chosen));
        document.getElementById(other.dataset.shows).hidden = !chosen;
      }
    });
  }

  // Lines, blocks and rows that belong together light up together; a click keeps them lit.
  let pinned = null;
  function light(kernel, element) {
    for (const lit of all(".hot", kernel)) lit.classList.remove("hot");
    if (!element) return;
    const regions = words(element, "region");
    const lines = new Set(words(element, "lines"));
    for (const other of all("[data-lines], [data-regions]", kernel)) {
      const by_line = lines.size && words(other, "lines").some((line) => lines.has(line));
      const by_region = regions.length && words(other, "regions").some((r) => regions.includes(r));
      if (regions.length ? by_region : by_line) other.classList.add("hot");
    }
    element.classList.add("hot");
  }
  function linked(event) {
    return event.target.closest ? event.target.closest("[data-lines], [data-region]") : null;
  }
  for (const kernel of all(".kernel")) {
    kernel.addEventListener("mouseover", (event) => {
      if (!pinned) light(kernel, linked(event));
    });
    kernel.addEventListener("mouseleave", () => {
      if (!pinned) light(kernel, null);
    });
    kernel.addEventListener("click", (event) => {
      if (event.target.closest("button")) return;
      const element = linked(event);
      pinned = element && element !== pinned ? element : null;
      light(kernel, pinned);
      if (!pinned) return;
      show_instructions(pinned);
      if (pinned.closest("svg, table.facts")) {
        const line = words(pinned, "lines")[0];
        const row = line && kernel.querySelector(`tr[id$="-line-${line}"]`);
        if (row) row.scrollIntoView({ block: "nearest" });
      }
    });
  }

  // The instructions of the block that was clicked.
  function show_instructions(element) {
    if (!element.dataset.node) return;
    const text = document.getElementById(`text-${element.dataset.node}`);
    const place = element.closest(".drawing").querySelector(".instructions");
    place.replaceChildren(text.content.cloneNode(true));
    place.hidden = false;
  }
  for (const block of all(".block")) {
    block.addEventListener("keydown", (event) => {
      if (event.key === "Enter") block.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    });
  }

  // Zoom.
  for (const button of all("[data-zoom]")) {
    button.addEventListener("click", () => {
      const canvas = button.closest(".panel").querySelector(".drawing:not([hidden]) .canvas");
      const svg = canvas.querySelector("svg");
      const natural = svg.viewBox.baseVal;
      const now = svg.width.baseVal.value / natural.width;
      const fit = Math.min(1, (canvas.clientWidth - 12) / natural.width);
      const factor = { in: now * 1.25, out: now / 1.25, fit, whole: 1 }[button.dataset.zoom];
      svg.setAttribute("width", natural.width * factor);
      svg.setAttribute("height", natural.height * factor);
    });
  }
})();
