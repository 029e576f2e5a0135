import { Asker, ask } from "./ask.js";
import { card, commands, details, el, facts, table, verdicts } from "./dom.js";

export function programView(section) {
  const form = section.querySelector("form");
  const result = section.querySelector(".result");
  const asker = new Asker(section);
  const fields = form.elements;
  let library = null;
  let seed = 0;

  const request = () => ({ text: fields.text.value, parameters: fields.parameters.value, accept: fields.accept.value });
  const run = async (action, more, show) => {
    fields.text.removeAttribute("aria-invalid");
    const answer = await asker.ask(action, { ...request(), ...more });
    if (!answer) return;
    if (answer.ok) result.replaceChildren(...show(answer));
    else result.replaceChildren(...mistake(answer, fields.text));
  };
  const trace = () => run("program", { word: fields.word.value }, traced);
  const sizes = () => ({ length: Number(fields.longest.value), dtype: fields.dtype.value });
  const compare = () => run("compare", { word: fields.word.value, ...sizes() }, compared);
  const random = () => {
    seed += 1;
    run("compare", { random: Number(fields.longest.value), seed, ...sizes() }, (answer) => {
      fields.word.value = answer.word;
      return compared(answer);
    });
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.submitter?.value === "compare") compare();
    else trace();
  });
  form.querySelector("[value=random]").addEventListener("click", random);
  fields.text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      trace();
    }
  });
  fields.text.addEventListener("input", () => { fields.library.value = ""; });
  fields.library.addEventListener("change", () => {
    const chosen = library?.find((one) => one.name === fields.library.value);
    if (!chosen) return;
    fields.text.value = chosen.text;
    fields.word.value = "";
    fields.parameters.value = "";
    trace();
  });

  return {
    async open() {
      if (library) return;
      const answer = await ask("library", {});
      if (!answer.ok || library) return;
      library = answer.programs;
      fields.library.append(...library.map((one) =>
        el("option", { value: one.name }, `${one.name}: ${one.description}`.slice(0, 90))));
      if (!fields.text.value) {
        const first = library.find((one) => one.name === "dyck-1");
        fields.library.value = first.name;
        fields.text.value = first.text;
        fields.word.value = "( ( ) )";
      }
    },
    show(text, reading) {
      fields.text.value = text;
      fields.library.value = "";
      fields.parameters.value = "";
      fields.accept.value = reading;
      fields.word.value = "";
      trace();
    },
  };
}

function* mistake(answer, text) {
  if (!answer.line) return;
  text.setAttribute("aria-invalid", "true");
  const before = text.value.split("\n").slice(0, answer.line - 1).join("\n").length;
  const at = before + (answer.line > 1 ? 1 : 0) + answer.column - 1;
  yield el("button", { type: "button", onclick: () => {
    text.focus();
    text.setSelectionRange(at, at + 1);
  } }, `Go to line ${answer.line}, column ${answer.column}`);
}

function* traced(answer) {
  yield card("Facts", facts(Object.entries(answer.facts)));
  yield card("Trace",
    answer.trace.head.length ? table(answer.trace.head, answer.trace.rows, "Every definition at every position") : null,
    el("p", { className: "outcome" }, answer.trace.result));
  yield verdicts(answer.verdicts, answer.card);
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
