// From no to yes: a subject, the changes that were tried, and each in full.

import { fillForm, formFields } from "./address.js";
import { Asker } from "./ask.js";
import { card, commands, details, el, table, verdicts } from "./dom.js";

const EXAMPLES = ["parity", "tomita-3", "word-problem:A5", "addition", "repeat-copy"];

export function changesView(section, app) {
  const form = section.querySelector("form");
  const result = section.querySelector(".result");
  const asker = new Asker(section);
  const { subject, alphabet } = form.elements;

  const look = async () => {
    const answer = await asker.ask("changes", { subject: subject.value, alphabet: alphabet.value });
    if (answer) result.replaceChildren(...(answer.ok ? shown(answer) : []));
  };
  const ask = () => {
    app.remember({ subject: subject.value, ...formFields(form) }); // the address says that it was asked
    return look();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  section.querySelector(".examples").append(...EXAMPLES.map((name) =>
    el("button", { type: "button", className: "small", onclick: () => {
      subject.value = name;
      alphabet.value = "";
      ask();
    } }, name)));
  return {
    open(given) {
      fillForm(form, given);
      if (given.subject) look();
    },
    close: () => asker.stop(""),
  };
}

function* shown(answer) {
  if (answer.satisfied) {
    yield el("p", { className: "outcome" }, `${answer.subject} is a yes for every encoding already: nothing has to change.`);
    return;
  }
  const line = (one, i) => [i + 1, one.kind, one.task, one.yes.join(", ") || "-", one.tokens?.toFixed(1) ?? "-", one.longest ?? "any"];
  const head = ["", "kind", "task", "yes with", "tokens per symbol", "to length"];
  if (answer.proposals.length) yield card("Changes that were tried, best first", table(head, answer.proposals.map(line), "Changes"));
  else yield el("p", { className: "outcome bad" }, "No change that is known here makes it a yes.");
  for (const [i, one] of answer.proposals.entries()) {
    const parts = [
      el("p", {}, `${one.change}.`),
      el("pre", { tabIndex: 0 }, one.examples.join("\n")),
      verdicts(one.verdicts, one.weights ? [`weights: ${one.weights}`] : []),
    ];
    yield i ? details(one.task, ...parts) : card(one.task, ...parts);
  }
  if (answer.notes.length) yield card("Not proposed", el("ul", { className: "notes" }, ...answer.notes.map((note) => el("li", {}, note))));
  yield commands(answer.commands);
}
