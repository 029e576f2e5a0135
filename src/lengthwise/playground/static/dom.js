// Building what is shown. Everything is made node by node and text goes in as text, so nothing that
// was typed or stored can become markup.

const SVG = "http://www.w3.org/2000/svg";

export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name in node && name !== "list" && name !== "role") node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export function svgNode(tag, attributes, title = "", text = "") {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text) node.textContent = text;
  if (title) {
    const inner = document.createElementNS(SVG, "title");
    inner.textContent = title;
    node.prepend(inner);
  }
  return node;
}

const scripts = new Map();
// A script of ours that is large and not always needed.
export function loadScript(name) {
  if (!scripts.has(name)) {
    scripts.set(name, new Promise((done, failed) => {
      const node = el("script", { src: `static/${name}` });
      node.addEventListener("load", done);
      node.addEventListener("error", () => failed(new Error(`${name} did not load`)));
      document.head.append(node);
    }));
  }
  return scripts.get(name);
}

export function table(head, rows, caption) {
  const cell = (tag, value, scope) =>
    value instanceof Node ? el(tag, {}, value) : el(tag, scope ? { scope } : {}, String(value ?? ""));
  const body = rows.map((row) => el("tr", {}, ...row.map((value, i) => cell(i ? "td" : "th", value, i ? "" : "row"))));
  const inner = el("table", {},
    caption ? el("caption", {}, caption) : null,
    el("thead", {}, el("tr", {}, ...head.map((name) => cell("th", name, "col")))),
    el("tbody", {}, ...body));
  return el("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": caption || "table" }, inner);
}

export function card(title, ...children) {
  return el("section", { className: "card" }, el("h3", {}, title), ...children);
}

export function facts(entries, kind = "") {
  return el("dl", { className: `facts ${kind}` }, ...entries.map(([name, value]) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, typeof value === "number" ? value.toLocaleString("en") : String(value)))));
}

export function details(title, ...children) {
  return el("details", {}, el("summary", {}, title), ...children);
}

export function commands(list) {
  const row = ({ label, command }) => {
    const said = el("span", { className: "said", role: "status" });
    const copy = el("button", { type: "button", className: "small", "aria-label": `Copy: ${label}` }, "Copy");
    copy.addEventListener("click", async () => {
      said.textContent = (await toClipboard(command)) ? "copied" : "select and copy it by hand";
    });
    return el("li", {}, el("div", { className: "row" }, el("span", { className: "what" }, label), copy, said),
      el("pre", { className: "command", tabIndex: 0 }, command));
  };
  return card("The same on the command line", el("ul", { className: "commands" }, ...list.map(row)));
}

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export function verdicts(rows, lines) {
  const shown = rows.map((row) => [
    row.encoding,
    el("span", { className: `badge ${row.generalizes}` }, row.generalizes),
    row.strength,
    row.why,
  ]);
  const box = table(["encoding", "generalizes", "strength", "why"], shown, "Verdicts");
  box.classList.add("stack");
  const notes = (some) => el("ul", { className: "notes" }, ...some.map((line) => el("li", {}, line)));
  return card("Verdict per encoding", box, notes(lines.slice(0, 1)), lines.length > 1 ? details("What follows, and how sure it is", notes(lines.slice(1))) : null);
}

export function percents(values) {
  return values.map((value) => `${(100 * value).toFixed(1)}%`).join(" / ");
}

export function button(text, onclick, kind = "small") {
  return el("button", { type: "button", className: kind, onclick }, text);
}
