import { address, readAddress } from "./address.js";
import { changesView } from "./changes.js";
import { galleryView } from "./gallery.js";
import { languageView } from "./language.js";
import { liveView } from "./live.js";
import { programView } from "./program.js";
import { runsView } from "./runs.js";

// A view is made once. open(fields) shows the state that an address names; close() is told when another view is shown.
const still = () => ({ open() {} });
const VIEWS = { gallery: galleryView, language: languageView, changes: changesView, program: programView, studies: still, runs: runsView, live: liveView };

const sections = new Map([...document.querySelectorAll("main > section")].map((section) => [section.id, section]));
const last = new Map();
let current = null;

const views = new Map([...sections].map(([name, section]) => [name, VIEWS[name](section, {
  // What a view shows now; the address says so without asking again.
  remember(fields, { replace = false } = {}) {
    const place = address(name, fields);
    last.set(name, place);
    if (name === current && place !== location.hash) history[replace ? "replaceState" : "pushState"](null, "", place);
  },
  go(other, fields) {
    last.delete(other);
    location.hash = address(other, fields);
  },
})]));

function show() {
  const asked = readAddress();
  const name = sections.has(asked.name) ? asked.name : sections.keys().next().value;
  const view = views.get(name);
  const moved = name !== current;
  if (moved) {
    views.get(current)?.close?.();
    const first = current === null;
    current = name;
    for (const [each, section] of sections) section.hidden = each !== name;
    for (const link of document.querySelectorAll("nav a")) {
      if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.title = `${sections.get(name).querySelector("h2").textContent} · Lengthwise playground`;
    if (!first) window.scrollTo(0, 0);
  }
  if (!Object.keys(asked.fields).length && last.has(name)) { // a bare link to a view that was open: as it was left
    history.replaceState(null, "", last.get(name));
    if (moved) view.back?.();
    return;
  }
  last.set(name, address(name, asked.fields));
  view.open(asked.fields);
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});
window.addEventListener("hashchange", show);
show();
