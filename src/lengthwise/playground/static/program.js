import { fillForm, formFields } from "./address.js";
import { Asker, ask } from "./ask.js";
import { disagreement } from "./disagreement.js";
import { button, card, commands, details, el, facts, table, verdicts } from "./dom.js";
import { Stepper } from "./step.js";

const FIRST = "dyck-1";

export function programView(section, app) {
  const form = section.querySelector("form");
  const result = section.querySelector(".result");
  const asker = new Asker(section);
  const fields = form.elements;
  let library = null;
  let seed = 0;
  let steps = null;
  let shown = "trace";

  const request = () => ({ text: fields.text.value, parameters: fields.parameters.value, accept: fields.accept.value });
  const sizes = () => ({ length: Number(fields.longest.value), dtype: fields.dtype.value });
  const remember = (options) => {
    const { text, ...rest } = formFields(form); // a program of the library is named, not written out
    const at = steps && steps.at !== steps.count ? steps.at : "";
    app.remember({ ...rest, ...(rest.library ? {} : { text }), do: shown === "trace" ? "" : shown, at }, options);
  };
  const run = async (action, more, show) => {
    fields.text.removeAttribute("aria-invalid");
    const answer = await asker.ask(action, { ...request(), ...more });
    if (!answer) return null;
    if (answer.ok) result.replaceChildren(...show(answer));
    else result.replaceChildren(...mistake(answer, fields.text));
    return answer;
  };
  const trace = async (at) => {
    shown = "trace";
    steps = new Stepper(() => remember({ replace: true }));
    const inside = el("div");
    const found = await run("program", { word: fields.word.value || null }, (answer) => traced(answer, inside, (word) => {
      fields.word.value = word;
      trace();
    }, request, fields));
    if (!found?.ok) return;
    fields.word.value ||= found.word;
    await step(inside, steps, { ...request(), word: fields.word.value }, at);
  };
  const compare = () => {
    shown = "compare";
    steps = null;
    return run("compare", { word: fields.word.value, ...sizes() }, compared);
  };
  const random = async () => {
    shown = "compare";
    steps = null;
    seed += 1;
    await run("compare", { random: Number(fields.longest.value), seed, ...sizes() }, (answer) => {
      fields.word.value = answer.word;
      return compared(answer);
    });
    remember();
  };
  const submit = async (todo) => {
    await todo();
    remember();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(event.submitter?.value === "compare" ? compare : () => trace());
  });
  form.querySelector("[value=random]").addEventListener("click", random);
  fields.text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit(() => trace());
    }
  });
  fields.text.addEventListener("input", () => { fields.library.value = ""; });
  const choose = (name) => {
    const chosen = library?.find((one) => one.name === name);
    if (!chosen) return false;
    fields.library.value = name;
    fields.text.value = chosen.text;
    return true;
  };
  fields.library.addEventListener("change", () => {
    if (!choose(fields.library.value)) return;
    fields.word.value = "";
    fields.parameters.value = "";
    submit(() => trace());
  });

  return {
    async open(given) {
      const before = fields.text.value;
      if (!library) {
        const answer = await ask("library", {});
        if (!answer.ok) {
          asker.say(answer.error, true);
          return;
        }
        if (!library) {
          library = answer.programs;
          fields.library.append(...library.map((one) =>
            el("option", { value: one.name }, `${one.name}: ${one.description}`.slice(0, 90))));
        }
      }
      if (fields.text.value !== before) return; // somebody was faster
      fillForm(form, given);
      if (!given.text) choose(given.library ?? FIRST);
      if (given.do === "compare") await compare();
      else await trace(given.at === undefined ? undefined : Number(given.at));
    },
  };
}

// Step through a word below a view's results; what cannot be compiled is only said.
export async function step(place, steps, request, at) {
  const status = el("p", { className: "help", role: "status" });
  place.replaceChildren(status);
  const answer = await new Asker(null, status).ask("step", request);
  if (!answer?.ok) return;
  place.replaceChildren(facts(Object.entries(answer.about)), steps.node, status);
  steps.draw(answer.automaton);
  steps.word(answer.columns.slice(answer.first), states(answer), at);
  steps.inside(answer);
}

function states({ states: all, first, automaton }) {
  return all && (first ? all.slice(first - 1) : [automaton.initial, ...all]);
}

function* mistake(answer, text) {
  if (!answer.line) return;
  text.setAttribute("aria-invalid", "true");
  const before = text.value.split("\n").slice(0, answer.line - 1).join("\n").length;
  const at = before + (answer.line > 1 ? 1 : 0) + answer.column - 1;
  yield button(`Go to line ${answer.line}, column ${answer.column}`, () => {
    text.focus();
    text.setSelectionRange(at, at + 1);
  }, "");
}

function* traced(answer, inside, tryWord, request, fields) {
  if (answer.writes) yield el("p", { className: "notice" }, answer.writes);
  yield card("Step through a word", inside,
    details("The trace as a table",
      answer.trace.head.length ? table(answer.trace.head, answer.trace.rows, "Every definition at every position") : null,
      el("p", { className: "outcome" }, answer.trace.result)));
  yield card("Facts", facts(Object.entries(answer.facts)));
  yield verdicts(answer.verdicts, answer.card);
  if (!answer.writes) {
    yield disagreement("Do program, transformer and language agree?",
      () => ({ ...request(), regex: fields.regex.value }), tryWord);
  }
  yield card("Standard layout", el("pre", { className: "code", tabIndex: 0 }, answer.formatted));
  yield commands(answer.commands);
}

function* compared(answer) {
  yield card("Compiled transformer", facts(Object.entries(answer.sizes)));
  const { rows, total, different } = answer.positions;
  const verdict = different
    ? `They differ at ${different} of ${total.toLocaleString("en")} positions.`
    : `They agree at all ${total.toLocaleString("en")} positions.`;
  yield card("Program and transformer",
    facts(Object.entries(answer.answers), "pair"),
    el("p", { className: different ? "outcome bad" : "outcome" }, total ? verdict : "The empty word has no position."),
    rows.length ? details(`Position by position${rows.length < total ? ` (the first ${rows.length})` : ""}`,
      table(["position", "letter", "program", "transformer"], rows, "Outputs")) : null);
  yield commands(answer.commands);
}
