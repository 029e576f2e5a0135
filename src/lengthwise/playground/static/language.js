import { Asker } from "./ask.js";
import { checkCertificates } from "./check_certificate.js";
import { card, commands, details, el, picture, table, verdicts } from "./dom.js";

const EXAMPLES = ["(ab)*", "(aa)*", "(a|b)*abb(a|b)*", "(a(ab)*b)*", "((a|b)(a|b))*"];

export function languageView(section, openProgram) {
  const form = section.querySelector("form");
  const result = section.querySelector(".result");
  const asker = new Asker(section);
  const run = async () => {
    const { regex, alphabet, accept } = form.elements;
    regex.removeAttribute("aria-invalid");
    const answer = await asker.ask("language", { regex: regex.value, alphabet: alphabet.value, accept: accept.value });
    if (!answer) return;
    if (!answer.ok) {
      regex.setAttribute("aria-invalid", "true");
      result.replaceChildren();
      return;
    }
    result.replaceChildren(...shown(answer, openProgram));
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  section.querySelector(".examples").append("try: ", ...EXAMPLES.map((text) =>
    el("button", { type: "button", className: "small code", onclick: () => {
      form.elements.regex.value = text;
      run();
    } }, text)));
}

function* shown(answer, openProgram) {
  yield verdicts(answer.verdicts, answer.card);
  yield card("Minimal automaton",
    answer.picture ? picture(answer.picture, "automaton") : null,
    answer.note ? el("p", { className: "help" }, answer.note) : null,
    details("Transitions as a table", table(answer.table.head, answer.table.rows, `${answer.states} states`),
      answer.table.cut ? el("p", { className: "help" }, "Only the first states and letters are listed.") : null));
  for (const one of answer.answers) yield argument(one);
  if (answer.padding === false) {
    yield el("p", { className: "warning" }, "This yes rests on local, periodic or last-letter structure; an added symbol that changes nothing (padding) would make the language fall outside.");
  }
  if (answer.program) {
    yield card("Program", el("pre", { className: "code", tabIndex: 0 }, answer.program),
      el("button", { type: "button", onclick: () => openProgram(answer.program, answer.reading) }, "Open in the program view"));
  }
  yield commands(answer.commands);
}

// One class's certificate: the steps one at a time, or all together.
function argument({ title, answer, strength, steps, certificate }) {
  const list = el("ol", { className: "steps" }, ...steps.map((step) =>
    el("li", { tabIndex: -1 }, el("strong", {}, step.title), el("p", { className: "lines" }, step.text),
      step.picture ? picture(step.picture, "automaton") : null)));
  const items = [...list.children];
  let at = 0;
  const count = el("span", { className: "help", role: "status" });
  const show = (until, focus) => {
    at = Math.max(0, Math.min(until, items.length - 1));
    items.forEach((item, i) => { item.hidden = i > at; item.classList.toggle("now", i === at); });
    count.textContent = `step ${at + 1} of ${items.length}`;
    back.disabled = at === 0;
    next.disabled = all.disabled = at === items.length - 1;
    if (focus) items[at].scrollIntoView({ block: "nearest" });
  };
  const back = el("button", { type: "button", className: "small", onclick: () => show(at - 1, true) }, "Back");
  const next = el("button", { type: "button", className: "small", onclick: () => show(at + 1, true) }, "Next step");
  const all = el("button", { type: "button", className: "small", onclick: () => show(items.length, false) }, "All steps");
  show(0, false);
  const badge = { in: "yes", out: "no" }[answer] || "undecided";
  return card(title,
    el("p", {}, el("span", { className: `badge ${badge}` }, answer), ` certificate: ${strength}`),
    certificate ? checkedHere(certificate) : null,
    el("div", { className: "row" }, back, next, all, count), list);
}

// The second checker, run by this browser on the certificate as the server sent it.
function checkedHere(certificate) {
  try {
    const [{ statement, basis, steps }] = checkCertificates(certificate);
    return el("p", { className: "help" }, `Checked in this browser too, by a second program (${steps.toLocaleString("en")} steps): ${statement}; rests on ${basis}.`);
  } catch (error) {
    return el("p", { className: "warning" }, `The check in this browser refused the certificate: ${error.message}`);
  }
}
