import { changesView } from "./changes.js";
import { languageView } from "./language.js";
import { liveView } from "./live.js";
import { programView } from "./program.js";
import { runsView } from "./runs.js";

const NAMES = ["language", "changes", "program", "runs", "live"];
const sections = Object.fromEntries(NAMES.map((name) => [name, document.getElementById(name)]));

const program = programView(sections.program);
const openProgram = (text, reading) => {
  location.hash = "program";
  program.show(text, reading);
};
const views = {
  language: languageView(sections.language, openProgram),
  changes: changesView(sections.changes),
  program,
  runs: runsView(sections.runs),
  live: liveView(sections.live),
};

let current = null;
function show() {
  const asked = location.hash.slice(1);
  if (asked === "main") return;
  const name = NAMES.includes(asked) ? asked : "language";
  if (name === current) return;
  views[current]?.close?.();
  const first = current === null;
  current = name;
  for (const each of NAMES) sections[each].hidden = each !== name;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${sections[name].querySelector("h2").textContent} · Lengthwise playground`;
  if (!first) window.scrollTo(0, 0);
  views[name]?.open?.();
}

window.addEventListener("hashchange", show);
show();
