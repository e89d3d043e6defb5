"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);
  root.classList.add("js");

  // A page opened from a file may be refused its storage: what was chosen is then not kept.
  const kept = {
    get(name) {
      try { return localStorage.getItem("ascend-doctor-" + name); } catch { return null; }
    },
    set(name, value) {
      try { localStorage.setItem("ascend-doctor-" + name, value); } catch { /* not kept */ }
    },
  };

  // Language: the radio buttons choose by style alone; this names it and words what has no spans.
  const lang = () => one(".lang:checked").value;
  function speak() {
    root.lang = lang() === "zh" ? "zh-Hans" : "en";
    for (const item of all("[data-en]")) item.textContent = item.dataset[lang()];
  }
  function choose(value) {
    one("#lang-" + value).checked = true;
    speak();
  }
  for (const radio of all(".lang")) {
    radio.addEventListener("change", () => { speak(); kept.set("lang", lang()); });
  }

  // Theme: the dark style applies to dark systems, to all screens or to none.
  const dark = one("#dark");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => dark.media === "screen" || (dark.media !== "not all" && system.matches);
  const paint = (value) => { dark.media = value === "dark" ? "screen" : "not all"; };
  function flip() {
    const value = isDark() ? "light" : "dark";
    paint(value);
    kept.set("theme", value);
  }
  if (kept.get("theme")) paint(kept.get("theme"));
  one("#theme").addEventListener("click", flip);

  // Commands: the clipboard may be refused as well; then the text is selected for Ctrl+C.
  function select(code) {
    const range = document.createRange();
    range.selectNodeContents(code);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  }
  async function copy(button) {
    const code = button.previousElementSibling;
    let state = "done";
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      select(code);
      state = document.execCommand("copy") ? "done" : "failed";
    }
    button.dataset.state = state;
    one("#said").textContent = button.innerText;
    setTimeout(() => { delete button.dataset.state; }, 2000);
  }
  for (const command of all(".cmd")) {
    command.append(one("#copy").content.cloneNode(true));
    command.lastElementChild.addEventListener("click", (event) => copy(event.currentTarget));
  }

  // Filters: what belongs to no chosen severity, family or rank goes; the verdict stays.
  const filters = one("#filters");
  const by = ["severity", "family", "rank"];
  function wanted(name) {
    const field = one(`#filters [data-by="${name}"]`);
    if (!field) return [];
    if (field.value !== undefined && field.tagName === "SELECT") return field.value ? [field.value] : [];
    return all("input:checked", field).map((input) => input.value);
  }
  function sift() {
    const asked = Object.fromEntries(by.map((name) => [name, wanted(name)]));
    for (const item of all("main [data-severity], main [data-family], main [data-rank]")) {
      const misses = by.some((name) => {
        if (!asked[name].length || item.dataset[name] === undefined) return false;
        return !item.dataset[name].split(" ").some((value) => asked[name].includes(value));
      });
      item.classList.toggle("off", misses);
    }
    const cases = all("#further > .cases > .diagnosis");
    const left = cases.filter((item) => !item.classList.contains("off")).length;
    const none = one("#further .none");
    if (none) none.hidden = left > 0;
    const asks = by.some((name) => asked[name].length);
    one("#filters output").textContent = asks ? `${left} / ${cases.length}` : "";
  }
  if (one("#filters [data-by]")) {
    filters.hidden = false;
    filters.addEventListener("change", sift);
    filters.addEventListener("submit", (event) => event.preventDefault());
    filters.addEventListener("reset", () => setTimeout(sift));
  }

  // Columns of steps: what is pointed at, or walked to with the arrow keys, is read from the table.
  function spoken(cell) {
    const copy = cell.cloneNode(true);
    for (const other of all(lang() === "zh" ? ".en" : ".zh", copy)) other.remove();
    return copy.textContent.trim().replace(/\s+/g, " ");
  }
  for (const columns of all(".columns")) {
    const hits = all(".hit", columns);
    const rows = all("tbody tr", columns.closest(".steps-of"));
    const heads = all("thead th", columns.closest(".steps-of"));
    const readout = columns.closest(".steps-of").querySelector(".readout");
    let at = -1;
    const read = (number) => {
      hits[at]?.classList.remove("here");
      at = Math.min(hits.length - 1, Math.max(0, number));
      hits[at].classList.add("here");
      const cells = all("td", rows[at]).map((cell, n) => `${spoken(heads[n])} ${spoken(cell)}`);
      readout.textContent = cells.join(" · ");
    };
    columns.setAttribute("tabindex", "0");
    columns.addEventListener("pointermove", (event) => {
      const number = hits.indexOf(event.target);
      if (number >= 0 && number !== at) read(number);
    });
    columns.addEventListener("focus", () => read(Math.max(0, at)));
    columns.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, Home: -hits.length, End: hits.length }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      read(at + by);
    });
  }

  // Deep links: what is folded around the target opens.
  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let item = target; item; item = item.parentElement) {
      if (item.tagName === "DETAILS") item.open = true;
    }
    target.scrollIntoView();
  }
  addEventListener("hashchange", reveal);

  // Paper shows everything.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    for (const item of closed) item.open = true;
  });
  addEventListener("afterprint", () => { for (const item of closed) item.open = false; });

  // Keys.
  function step(by) {
    const stops = all(".root, .diagnosis:not(.off)").filter((item) => item.offsetParent);
    const at = stops.findIndex((item) => item.contains(document.activeElement));
    const next = stops[Math.min(stops.length - 1, Math.max(0, at + by))];
    if (!next) return;
    const focus = next.querySelector("summary") || next;
    if (next.tagName !== "DETAILS") next.tabIndex = -1;
    (next.tagName === "DETAILS" ? focus : next).focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  }
  function fold() {
    const items = all("main details");
    const open = items.some((item) => !item.open);
    for (const item of items) item.open = open;
  }
  const keys = {
    j: () => step(1),
    k: () => step(-1),
    o: fold,
    c: () => one(".root .todo .copy")?.click(),
    l: () => { choose(lang() === "en" ? "zh" : "en"); kept.set("lang", lang()); },
    t: flip,
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !one("#keys-on").checked) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "radio") return;
    keys[event.key]?.();
  });

  choose(kept.get("lang") === "zh" || kept.get("lang") === "en" ? kept.get("lang") : lang());
  reveal();
})();
