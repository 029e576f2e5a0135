import { fillForm, formFields } from "./address.js";
import { Asker, kept } from "./ask.js";
import { drawing, lettersOf, runWord } from "./automaton.js";
import { checkCertificates } from "./check_certificate.js";
import { disagreement } from "./disagreement.js";
import { button, card, commands, details, el, table, verdicts } from "./dom.js";
import { Stepper } from "./step.js";

const EXAMPLES = kept?.languages.map(({ regex }) => regex) ?? ["(ab)*", "(aa)*", "(a|b)*abb(a|b)*", "(a(ab)*b)*", "((a|b)(a|b))*"];

export function languageView(section, app) {
  const form = section.querySelector("form");
  const result = section.querySelector(".result");
  const asker = new Asker(section);
  const fields = form.elements;
  let known = null; // the language that is shown
  let filled = ""; // the word that was put into the field, not typed
  let typed = null; // the language that a word was last typed for; its empty word stays empty
  let steps = null;

  const key = () => JSON.stringify([fields.regex.value, fields.alphabet.value, fields.accept.value]);
  const remember = (options) => app.remember({ ...formFields(form), at: steps?.at === steps?.count ? "" : steps?.at }, options);
  // A word of another language is replaced, unless an address asks for it.
  const run = async (at, given = false) => {
    fields.regex.removeAttribute("aria-invalid");
    if (known?.key !== key() && fields.word.value === filled) fields.word.value = "";
    const asked = key();
    if (known?.key !== asked) {
      const answer = await asker.ask("language", { regex: fields.regex.value, alphabet: fields.alphabet.value, accept: fields.accept.value });
      if (!answer) return;
      known = null;
      if (!answer.ok) {
        fields.regex.setAttribute("aria-invalid", "true");
        result.replaceChildren();
        return;
      }
      steps = new Stepper(() => remember({ replace: true }));
      known = { key: asked, answer, word: wordPanel(steps, answer, fields.word, remember) };
      result.replaceChildren(...shown(answer, known.word, fields, run, app));
      const letters = lettersOf(fields.word.value, alphabetOf(answer));
      if (!given && letters.some((letter) => !alphabetOf(answer).includes(letter))) fields.word.value = "";
    }
    if (!fields.word.value && typed !== key()) fields.word.value = filled = known.answer.word;
    known.word.show(at);
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    await run();
    remember();
  });
  fields.word.addEventListener("input", () => {
    typed = key();
    if (known?.key === key()) known.word.show();
  });
  section.querySelector(".examples").append("try: ", ...EXAMPLES.map((text) =>
    button(text, async () => {
      fields.regex.value = text;
      await run();
      remember();
    }, "small code")));
  return {
    open(given) {
      fillForm(form, given);
      return run(given.at === undefined ? undefined : Number(given.at), true);
    },
  };
}

const alphabetOf = (answer) => answer.automaton?.alphabet ?? answer.table.head.slice(1);

// The word that is tried: the automaton's run at once, then the program and its transformer.
function wordPanel(steps, answer, field, remember) {
  const status = el("p", { className: "help", role: "status" });
  const asker = new Asker(null, status);
  let timer = null;
  const ask = async (text) => {
    steps.empty();
    if (!answer.program) return;
    const found = await asker.ask("step", { text: answer.program, accept: answer.reading, word: text, automaton: false });
    if (found?.ok) steps.inside(found);
  };
  steps.draw(answer.automaton);
  return {
    node: el("div", {}, ...offered(answer.words, field), steps.node, status),
    show(at) {
      field.removeAttribute("aria-invalid");
      const letters = lettersOf(field.value, alphabetOf(answer));
      try {
        steps.word(letters, answer.automaton ? runWord(answer.automaton, letters) : null, at);
      } catch (error) {
        field.setAttribute("aria-invalid", "true");
        steps.word([], answer.automaton ? [answer.automaton.initial] : null);
        steps.empty();
        asker.say(error.message, true);
        return;
      }
      asker.say("");
      clearTimeout(timer);
      timer = setTimeout(() => {
        ask(letters.join(" "));
        remember({ replace: true });
      }, 200);
    },
  };
}

// Where there is no server: the words whose layers were kept.
function* offered(words, field) {
  if (!words) return;
  yield el("p", { className: "row examples" }, "counters and layers are kept for ", ...words.map((text) => button(text, () => {
    field.value = text;
    field.dispatchEvent(new Event("input"));
  }, "small code")));
}

function* shown(answer, word, fields, run, app) {
  yield verdicts(answer.verdicts, answer.card);
  yield card("Minimal automaton and a word",
    answer.note ? el("p", { className: "help" }, answer.note) : null,
    word.node,
    details("Transitions as a table", table(answer.table.head, answer.table.rows, `${answer.states} states`),
      answer.table.cut ? el("p", { className: "help" }, "Only the first states and letters are listed.") : null));
  if (answer.program) {
    const ours = { text: answer.program, accept: answer.reading };
    yield card("Program", el("pre", { className: "code", tabIndex: 0 }, answer.program),
      button("Open in the program view", () => app.go("program", { ...ours, word: fields.word.value }), ""));
    yield disagreement("Do language, program and transformer agree?",
      () => ({ ...ours, regex: fields.regex.value, alphabet: fields.alphabet.value }),
      (text) => {
        fields.word.value = text;
        run();
      });
  }
  for (const one of answer.answers) yield argument(one);
  if (answer.padding === false) {
    yield el("p", { className: "warning" }, "This yes rests on local, periodic or last-letter structure; an added symbol that changes nothing (padding) would make the language fall outside.");
  }
  yield commands(answer.commands);
}

// One class's certificate: the steps one at a time, or all together.
function argument({ title, answer, strength, steps, certificate }) {
  const list = el("ol", { className: "steps" }, ...steps.map((step) =>
    el("li", { tabIndex: -1 }, el("strong", {}, step.title), el("p", { className: "lines" }, step.text))));
  const items = [...list.children];
  let at = 0;
  const count = el("span", { className: "help", role: "status" });
  const show = (until, focus) => {
    at = Math.max(0, Math.min(until, items.length - 1));
    items.forEach((item, i) => {
      item.hidden = i > at;
      item.classList.toggle("now", i === at);
      if (i <= at && steps[i].automaton && !item.querySelector(".picture")) item.append(drawing(steps[i].automaton).node);
    });
    count.textContent = `step ${at + 1} of ${items.length}`;
    back.disabled = at === 0;
    next.disabled = all.disabled = at === items.length - 1;
    if (focus) items[at].scrollIntoView({ block: "nearest" });
  };
  const back = button("Back", () => show(at - 1, true));
  const next = button("Next step", () => show(at + 1, true));
  const all = button("All steps", () => show(items.length, false));
  requestAnimationFrame(() => show(0, false));
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
    return el("p", { className: "help checked" }, `Checked in this browser too, by a second program (${steps.toLocaleString("en")} steps): ${statement}; rests on ${basis}.`);
  } catch (error) {
    return el("p", { className: "warning" }, `The check in this browser refused the certificate: ${error.message}`);
  }
}
