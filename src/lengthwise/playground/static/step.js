// Stepping through a word: the automaton's state, the program's counters, and layer by layer what a transformer's heads read
// and what its residual stream holds. Columns are tokens; one of them is now.

import { drawing } from "./automaton.js";
import { button, el } from "./dom.js";

const MANY = 70;

export class Stepper {
  // changed(at) hears how many letters have been read.
  constructor(changed) {
    this.changed = changed;
    this.at = 0;
    this.drawing = null;
    this.grid = null;
    this.letters = el("div", { className: "letters", role: "group", "aria-label": "The word; choose how much of it is read" });
    this.said = el("p", { className: "outcome", role: "status" });
    this.slide = el("input", { type: "range", min: 0, value: 0, "aria-label": "letters read" });
    this.slide.addEventListener("input", () => this.go(Number(this.slide.value)));
    this.back = button("Back", () => this.go(this.at - 1));
    this.next = button("Next letter", () => this.go(this.at + 1));
    this.picture = el("div");
    this.note = el("p", { className: "help" });
    this.table = el("div");
    this.node = el("div", { className: "stepper" }, this.letters,
      el("div", { className: "row steps-row" }, this.back, this.next, this.slide), this.said, this.picture, this.note, this.table);
  }

  draw(automaton) {
    this.drawing = automaton ? drawing(automaton) : null;
    this.accepting = automaton?.accepting ?? null;
    this.drawn = automaton?.drawn ?? [];
    this.picture.replaceChildren(...(this.drawing ? [this.drawing.node] : []));
  }

  // states: one before the first letter and one after each; null without an automaton.
  word(letters, states, at) {
    this.count = letters.length;
    this.states = states;
    this.grid = null; // the one that is shown is of another word, until inside() brings this one's
    this.table.classList.add("stale");
    this.slide.max = this.count;
    const box = (text, k) => {
      const one = button(text, () => this.go(k), "letter");
      one.setAttribute("aria-label", k ? `letter ${k}: ${text}` : "the beginning");
      return one;
    };
    this.boxes = [box("▷", 0), ...letters.map((letter, k) => box(letter === " " ? "␣" : letter, k + 1))];
    this.letters.replaceChildren(...this.boxes);
    this.go(Math.min(at ?? this.count, this.count), true);
  }

  go(at, quiet = false) {
    this.at = Math.max(0, Math.min(at, this.count));
    this.slide.value = this.at;
    this.back.disabled = this.at === 0;
    this.next.disabled = this.at === this.count;
    this.boxes.forEach((one, k) => {
      one.classList.toggle("now", k === this.at);
      one.classList.toggle("later", k > this.at);
      if (k === this.at) one.setAttribute("aria-current", "step");
      else one.removeAttribute("aria-current");
    });
    this.said.textContent = this.sentence();
    if (this.states) this.drawing?.mark(this.states.slice(0, this.at + 1));
    this.grid?.(this.at);
    if (!quiet) this.changed(this.at);
  }

  sentence() {
    const read = `${this.at} of ${this.count} letters read`;
    if (!this.states) return `${read}.`;
    const state = this.states[this.at];
    const where = this.drawn.includes(state) ? `state ${state}` : `the dead state ${state}, which is not drawn`;
    const whole = this.at === this.count ? "The word" : "What is read so far";
    return `${read}: ${where}. ${whole} is ${this.accepting.includes(state) ? "accepted" : "rejected"}.`;
  }

  // A grid of the server: groups of rows over the columns; first is the column of the first letter.
  inside({ columns, first, groups, note }) {
    const head = el("tr", {}, el("th", { scope: "col" }, "token"), ...columns.map((token) => el("th", { scope: "col" }, token)));
    const rows = groups.reduce((sum, group) => sum + group.rows.length, 0);
    const made = groups.map((group) => shownGroup(group, columns.length, rows > MANY && group.kind === "stream" && group !== groups.at(-2)));
    const inner = el("table", { className: "grid" }, el("thead", {}, head), ...made.map((one) => one.body));
    this.table.replaceChildren(el("div", { className: "scroll tall", tabIndex: 0, role: "region", "aria-label": "Program and layers at every token" }, inner));
    this.note.textContent = note;
    this.table.classList.remove("stale");
    this.grid = (at) => {
      const now = at + first - 1;
      [...head.cells].forEach((cell, k) => cell.classList.toggle("now", k === now + 1));
      for (const one of made) one.step(now);
      const cell = head.cells[now + 1];
      const box = this.table.firstElementChild;
      if (cell) box.scrollLeft = Math.max(0, cell.offsetLeft + cell.offsetWidth - box.clientWidth + 8);
    };
    this.grid(this.at);
  }

  empty() {
    this.grid = null;
    this.table.replaceChildren();
    this.note.textContent = "";
  }
}

function shownGroup({ title, kind, rows }, width, closed) {
  const lines = rows.map(([name, values]) => {
    const largest = kind === "stream" ? Math.max(1e-9, ...values.map(Math.abs)) : 1;
    const cells = Array.from({ length: width }, () => el("td"));
    if (kind !== "attention") cells.forEach((cell, k) => write(cell, values[k], kind, largest));
    return { row: el("tr", { hidden: closed }, el("th", { scope: "row", title: name }, name), ...cells), cells, values };
  });
  const toggle = button(title, () => {
    const open = toggle.getAttribute("aria-expanded") !== "true";
    toggle.setAttribute("aria-expanded", String(open));
    for (const { row } of lines) row.hidden = !open;
  }, "fold");
  toggle.setAttribute("aria-expanded", String(!closed));
  const body = el("tbody", { className: kind }, el("tr", { className: "group" }, el("th", { colSpan: width + 1, scope: "rowgroup" }, toggle)),
    ...lines.map(({ row }) => row));
  const step = (now) => {
    for (const { cells, values } of lines) {
      cells.forEach((cell, k) => {
        cell.classList.toggle("now", k === now);
        cell.classList.toggle("later", k > now);
        if (kind === "attention") write(cell, now < 0 || k > now ? "" : values[now][k], kind, 1);
      });
    }
  };
  return { body, step };
}

function write(cell, value, kind, largest) {
  if (typeof value !== "number") {
    cell.textContent = value;
    cell.style.setProperty("--part", 0);
    return;
  }
  cell.textContent = kind === "attention" ? value.toFixed(2).replace(/^0(?=\.)/, "") : String(Number(value.toPrecision(3)));
  cell.classList.toggle("minus", value < 0);
  cell.style.setProperty("--part", Math.min(1, Math.abs(value) / largest).toFixed(3));
}
