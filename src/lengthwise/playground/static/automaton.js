// Automata: running words on them, and drawing them. Graphviz (vendor/viz.js) finds the places; it is told how long labels are
// and never what they say. The nodes are made here, so nothing typed becomes markup.

import { el, loadScript, svgNode } from "./dom.js";

const RADIUS = 19;
const TIP = 8;
let graphviz = null;

function layouter() {
  graphviz ??= loadScript("vendor/viz.js").then(() => window.Viz.instance());
  return graphviz;
}

// The letters of a typed word: parted by spaces, or character by character.
export function lettersOf(text, alphabet) {
  const parts = text.split(/\s+/).filter(Boolean);
  return parts.length === 1 && !alphabet.includes(parts[0]) ? [...parts[0]] : parts;
}

// The states before the first letter and after each one.
export function runWord({ alphabet, transitions, initial }, letters) {
  const states = [initial];
  for (const letter of letters) {
    const code = alphabet.indexOf(letter);
    if (code < 0) throw new Error(`letter ${JSON.stringify(letter)} is not in the alphabet (${alphabet.join(" ")}).`);
    states.push(transitions[states.at(-1)][code]);
  }
  return states;
}

// A drawing that fits its place. mark(path) shows where a run stands: its last state, its last arrow, and where it has been.
export function drawing(data) {
  const box = el("div", { className: "picture automaton", tabIndex: 0, role: "group", "aria-label": "automaton, scrolls" });
  let marked = null;
  let mark = () => {};
  layouter().then((viz) => {
    const room = box.clientWidth || 600;
    const across = place(viz, data, "LR");
    const down = across.width > room ? place(viz, data, "TB") : across;
    const chosen = down.width < across.width ? down : across;
    const made = drawn(data, chosen);
    box.replaceChildren(made.svg);
    mark = made.mark;
    if (marked) mark(marked);
  }).catch((error) => box.replaceChildren(el("p", { className: "warning" }, `The automaton could not be drawn: ${error.message}`)));
  return { node: box, mark: (path) => { marked = path; mark(path); } };
}

function place(viz, data, rankdir) {
  const inches = (2 * RADIUS) / 72;
  const graph = {
    directed: true,
    graphAttributes: { rankdir, nodesep: data.notes.length ? 0.6 : 0.35, ranksep: 0.45, margin: 0 },
    nodeAttributes: { shape: "circle", fixedsize: true, width: inches, height: inches, label: "" },
    edgeAttributes: { fontname: "Courier", fontsize: 14, arrowsize: 0.8 },
    nodes: [{ name: "start", attributes: { shape: "point", width: 0.01, height: 0.01 } },
      ...data.drawn.map((state) => ({ name: `q${state}` }))],
    edges: [{ tail: "start", head: `q${data.initial}` },
      ...data.arrows.map((arrow) => ({ tail: `q${arrow.from}`, head: `q${arrow.to}`, attributes: { label: "x".repeat(arrow.label.length + 1) } }))],
  };
  const result = viz.render(graph, { format: "json0" });
  if (result.status !== "success") throw new Error(result.errors.map((one) => one.message).join("; "));
  const found = JSON.parse(result.output);
  const [, , width, height] = found.bb.split(",").map(Number);
  const flip = (pair) => { const [x, y] = pair.split(",").map(Number); return [x, height - y]; };
  return {
    width, height,
    states: found.objects.slice(1).map((node) => flip(node.pos)),
    edges: found.edges.map((edge) => ({ points: curve(edge.pos, flip), label: edge.lp ? flip(edge.lp) : null })),
  };
}

// Graphviz writes a curve as its end, then control points.
function curve(text, flip) {
  const parts = text.split(" ");
  const end = parts[0].startsWith("e,") ? flip(parts.shift().slice(2)) : null;
  return { points: parts.map(flip), end };
}

const at = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;

function drawn(data, { width, height, states, edges }) {
  const left = Math.min(0, ...edges.flatMap((edge) => edge.points.points.map(([x]) => x)));
  const deep = data.notes.length ? 18 : 2;
  const svg = svgNode("svg", { viewBox: `${left - 4} -4 ${width - left + 8} ${height + deep + 6}`, width: width - left + 8, role: "img", "aria-label": data.label });
  svg.style.minWidth = `${Math.min(0.62 * width, 640)}px`;
  const arrows = [null, ...data.arrows].map((arrow, k) => {
    const title = arrow ? `${arrow.from} to ${arrow.to} on ${arrow.symbols.join(" ")}` : "";
    const { points, end } = edges[k].points;
    const group = svgNode("g", { class: "arrow" }, title);
    const [first, ...rest] = points;
    group.append(svgNode("path", { d: `M${at(first)}C${rest.map(at).join(" ")}`, class: "edge" }), tip(points.at(-1), end));
    if (arrow) group.append(svgNode("text", { x: edges[k].label[0], y: edges[k].label[1] + 4.5, class: "symbol" }, "", arrow.label));
    return group;
  });
  const circles = data.drawn.map((state, k) => {
    const [x, y] = states[k];
    const final = data.accepting.includes(state);
    const note = data.notes[state] ?? "";
    const group = svgNode("g", { class: "place" }, `state ${state}${final ? ", accepting" : ""}${note ? `, ${note}` : ""}`);
    group.append(svgNode("circle", { cx: x, cy: y, r: RADIUS, class: final ? "state accepting" : "state" }));
    if (final) group.append(svgNode("circle", { cx: x, cy: y, r: RADIUS - 4, class: "ring" }));
    group.append(svgNode("text", { x, y: y + 5, class: "name" }, "", String(state)));
    if (note) group.append(svgNode("text", { x, y: y + RADIUS + 13, class: "note" }, "", note));
    return group;
  });
  svg.append(...arrows, ...circles);
  const mark = (path) => {
    const now = path.at(-1);
    const before = path.at(-2);
    const been = new Set(path);
    circles.forEach((group, k) => {
      group.classList.toggle("now", data.drawn[k] === now);
      group.classList.toggle("been", been.has(data.drawn[k]));
    });
    arrows.forEach((group, k) => {
      const arrow = k ? data.arrows[k - 1] : null;
      group.classList.toggle("now", arrow ? arrow.from === before && arrow.to === now : path.length === 1);
    });
  };
  return { svg, mark };
}

function tip(from, end) {
  const [x, y] = end ?? from;
  const far = Math.hypot(x - from[0], y - from[1]) || 1;
  const [dx, dy] = [(x - from[0]) / far, (y - from[1]) / far];
  const back = [x - TIP * dx, y - TIP * dy];
  const corners = [[x, y], [back[0] - dy * TIP / 2, back[1] + dx * TIP / 2], [back[0] + dy * TIP / 2, back[1] - dx * TIP / 2]];
  return svgNode("polygon", { points: corners.map(([a, b]) => `${a.toFixed(1)},${b.toFixed(1)}`).join(" "), class: "tip" });
}
