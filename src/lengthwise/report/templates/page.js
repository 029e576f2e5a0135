"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const root = document.documentElement;
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const hidden = new Set();
let logarithmic = false;

// ---- theme
const themeButton = document.getElementById("theme");
function labelTheme() { themeButton.textContent = root.dataset.theme === "dark" ? "Light" : "Dark"; }
themeButton.addEventListener("click", () => {
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  try { localStorage.setItem("lengthwise-theme", root.dataset.theme); } catch (error) { /* storage is off */ }
  labelTheme();
  redraw();
});
labelTheme();

// ---- tables: sorting, CSV, opening runs
const collator = new Intl.Collator("en", { numeric: true });
function sortKey(cell) {
  const value = cell.dataset.v;
  return value === undefined ? cell.textContent.trim() : isNaN(value) ? value : Number(value);
}
function compare(a, b) {
  const empty = (a === "") - (b === "");
  if (empty) return { empty };
  if (typeof a === "number" && typeof b === "number") return { order: a - b };
  return { order: collator.compare(a, b) };
}
function sortTable(heading) {
  const table = heading.closest("table"), body = table.tBodies[0];
  const column = heading.cellIndex, direction = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  all("tr.detail", body).forEach((row) => row.remove());
  all("[aria-expanded]", body).forEach((button) => button.setAttribute("aria-expanded", "false"));
  const rows = [...body.rows].map((row) => [sortKey(row.cells[column]), row]);
  rows.sort(([a], [b]) => { const found = compare(a, b); return found.empty ?? direction * found.order; });
  all("th", table).forEach((other) => other.removeAttribute("aria-sort"));
  heading.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
  body.append(...rows.map(([, row]) => row));
}
const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
function csv(table) {
  const headings = all("thead th", table);
  const first = headings.flatMap((h) => { const name = h.textContent.trim(); return "i" in h.dataset ? [name, `${name} low`, `${name} high`] : [name]; });
  const rows = all("tbody tr:not(.detail)", table).map((row) => [...row.cells].flatMap((cell, i) => {
    const value = cell.dataset.v ?? cell.textContent.trim();
    return "i" in headings[i].dataset ? [value, cell.dataset.l ?? "", cell.dataset.h ?? ""] : [value];
  }));
  return [first, ...rows].map((row) => row.map(quoted).join(",")).join("\n") + "\n";
}
async function copy(text, button) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    const area = document.body.appendChild(document.createElement("textarea"));
    area.value = text; area.select(); document.execCommand("copy"); area.remove();
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = label; }, 1200);
}
function block(title, text) {
  const head = document.createElement("div"), name = document.createElement("strong"), button = document.createElement("button"), pre = document.createElement("pre");
  head.className = "table-head"; name.textContent = title; button.textContent = "Copy"; pre.textContent = text;
  button.addEventListener("click", () => copy(text, button));
  head.append(name, button);
  return [head, pre];
}
function openRun(button) {
  const row = button.closest("tr"), open = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!open));
  if (open) { row.nextElementSibling.remove(); return; }
  const run = data.runs[Number(button.dataset.run)], detail = document.createElement("tr"), cell = detail.insertCell();
  detail.className = "detail"; cell.className = "opened"; cell.colSpan = row.cells.length;
  if (run.command) cell.append(...block("Command", run.command));
  cell.append(...block("Specification", JSON.stringify(run.spec, null, 1)));
  row.after(detail);
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.closest("thead")) sortTable(button.closest("th"));
  else if ("copy" in button.dataset) copy(csv(button.closest(".row").querySelector("table")), button);
  else if ("run" in button.dataset) openRun(button);
  else if ("save" in button.dataset) saveFigure(button);
  else if ("series" in button.dataset) toggleSeries(button);
  else if ("axis" in button.dataset) chooseAxis(button.dataset.axis);
});

// ---- figures: drawn when they come near the screen
const views = new Map();
const palette = (dark) => (dark ? { text: "#c9ced6", soft: "#8b939e", line: "#2e343c", ground: "#14171b" } : { text: "#3a3f46", soft: "#6b727c", line: "#e3e6ea", ground: "#ffffff" });
function config(dark) {
  const p = palette(dark), font = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, sans-serif";
  return {
    background: null, font, view: { stroke: null }, rect: { fill: p.soft },
    axis: { labelColor: p.soft, titleColor: p.soft, gridColor: p.line, domainColor: p.soft, tickColor: p.soft, labelFontSize: 11, titleFontSize: 11, titleFontWeight: "normal" },
    legend: { labelColor: p.text, titleColor: p.soft, labelFontSize: 11, titleFontSize: 11, titleFontWeight: "normal" },
    title: { color: p.text, fontSize: 12, fontWeight: 600, anchor: "start" }, header: { labelColor: p.text, titleColor: p.soft },
    rule: { color: p.soft }, text: { color: p.text },
  };
}
function walk(spec, visit) {
  if (spec.encoding) visit(spec.encoding);
  for (const part of [...(spec.layer ?? []), ...(spec.hconcat ?? []), ...(spec.vconcat ?? []), ...(spec.concat ?? []), ...(spec.spec ? [spec.spec] : [])]) walk(part, visit);
}
function points(panel) {
  return panel.series.flatMap((line, s) => line.n.map((n, i) => ({
    n, s, e: data.styles.names[line.e], c: line.c, a: line.a[i], l: line.l[i], h: line.h[i], w: line.w ? line.w[i] : String(n),
    i: `${(100 * line.l[i]).toFixed(1)}–${(100 * line.h[i]).toFixed(1)}%`, k: `${line.k[i]} of ${line.t[i]}`,
  }))).filter((point) => !logarithmic || point.n > 0);
}
const thinLines = (panel) => panel.series.flatMap((line, s) => (line.seeds ?? []).flatMap((seed, k) => seed.n.map((n, i) => ({ n, a: seed.a[i], e: data.styles.names[line.e], s: `${s} ${k}` })))).filter((point) => !logarithmic || point.n > 0);
function panelSpec(panel, dark) {
  const spec = structuredClone(data.curve), rows = points(panel);
  const lengths = rows.map((row) => row.n), low = Math.min(...lengths), high = Math.max(...lengths);
  const scale = { type: logarithmic ? "log" : "linear", domain: low < high ? [low, high] : [low * 0.9, high * 1.1 + 1], nice: false, clamp: true, ...(logarithmic ? {} : { zero: false }) };
  const within = (part) => ({ ...part, lo: Math.max(low, part.lo), hi: Math.min(high, part.hi) });
  spec.datasets = { points: rows, seeds: thinLines(panel), chance: panel.chance.map(within), trained: [within({ lo: panel.trained[0], hi: panel.trained[1] })] };
  walk(spec, (encoding) => {
    if (encoding.x) encoding.x.scale = scale;
    if (encoding.color) encoding.color.scale.range = data.styles[dark ? "dark" : "light"];
  });
  spec.params.find((param) => param.name === "hidden").value = [...hidden];
  return spec;
}
const specOf = (element, dark) => ("panel" in element.dataset ? panelSpec(data.panels[Number(element.dataset.panel)], dark) : structuredClone(data.charts[Number(element.dataset.chart)].spec));
// Vega-Lite 6.4 forgets that the cell of a nearest point holds the point's datum one level deeper.
function mendTooltips(spec) {
  for (const mark of spec.marks ?? []) {
    const tooltip = mark.encode?.update?.tooltip;
    if (mark.name?.endsWith("voronoi") && tooltip?.signal)
      tooltip.signal = tooltip.signal.replaceAll("datum.datum[", "datum[").replaceAll("datum[", "datum.datum[");
    mendTooltips(mark);
  }
  return spec;
}
async function draw(element) {
  const dark = root.dataset.theme === "dark", state = { stale: false };
  views.get(element)?.view?.finalize();
  views.set(element, state);
  const spec = specOf(element, dark);
  const embedded = await vegaEmbed(element, spec, { actions: false, renderer: "panel" in element.dataset ? "svg" : "canvas", config: config(dark), patch: mendTooltips, tooltip: { theme: dark ? "dark" : "light" } });
  state.view = embedded.view;
  element.parentElement.classList.add("drawn");
}
const near = new Set();
let drawing = false;
async function drawNear() {  // one after the other, so that the page stays responsive between them
  if (drawing) return;
  drawing = true;
  for (;;) {
    const next = [...near].find((element) => views.get(element)?.stale ?? true);
    if (!next) break;
    await draw(next);
    await new Promise((done) => setTimeout(done));
  }
  drawing = false;
}
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    const live = target.querySelector(".live");
    if (isIntersecting) near.add(live); else near.delete(live);
  }
  drawNear();
}, { rootMargin: "200px" });
function start() { all(".figure").forEach((element) => observer.observe(element)); }
function redraw() {
  for (const state of views.values()) state.stale = true;
  drawNear();
}
function toggleSeries(button) {
  const name = button.dataset.series, shown = button.getAttribute("aria-pressed") !== "true";
  all("[data-series]").filter((one) => one.dataset.series === name).forEach((one) => one.setAttribute("aria-pressed", String(shown)));
  if (shown) hidden.delete(name); else hidden.add(name);
  for (const [element, state] of views)
    if (state.view && "panel" in element.dataset) state.view.signal("hidden", [...hidden]).runAsync();
}
function chooseAxis(kind) {
  logarithmic = kind === "log";
  all("[data-axis]").forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.axis === kind)));
  redraw();
}

// ---- on paper: everything is unfolded but the longest tables
const opened = new Set();
addEventListener("beforeprint", () => all("details.fold:not([open])").forEach((fold) => { if (!fold.querySelector(".long")) { fold.open = true; opened.add(fold); } }));
addEventListener("afterprint", () => { opened.forEach((fold) => { fold.open = false; }); opened.clear(); });

// ---- downloads: always light, with title and legend, so that they stand alone
async function saveFigure(button) {
  const panel = "panel" in button.dataset, spec = specOf(button, false);
  const title = panel ? data.panels[Number(button.dataset.panel)].title : data.charts[Number(button.dataset.chart)].title;
  spec.title = title;
  if (spec.width === "container") spec.width = panel ? 460 : 640;
  const legend = { orient: "bottom", title: null };
  if (panel) walk(spec, (encoding) => { for (const channel of ["color", "strokeDash"]) if (encoding[channel]) encoding[channel].legend = legend; });
  const room = document.createElement("div");
  const embedded = await vegaEmbed(room, spec, { actions: false, renderer: "svg", config: { ...config(false), background: "#ffffff" } });
  const kind = button.dataset.save, link = document.createElement("a");
  if (kind === "svg") link.href = URL.createObjectURL(new Blob([await embedded.view.toSVG()], { type: "image/svg+xml" }));
  else link.href = await embedded.view.toImageURL("png", 3);
  link.download = `${title.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 80) || "figure"}.${kind}`;
  link.click();
  embedded.view.finalize();
}
