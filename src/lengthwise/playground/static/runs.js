import { fillForm, formFields } from "./address.js";
import { Asker } from "./ask.js";
import { chart, loadCharts } from "./charts.js";
import { disagreement } from "./disagreement.js";
import { button, card, commands, details, el, facts, percents, table } from "./dom.js";
import { step } from "./program.js";
import { Stepper } from "./step.js";

export function runsView(section, app) {
  const form = section.querySelector("form");
  const [plot, list, one] = ["chart", "list", "one"].map((name) => section.querySelector(`.result.${name}`));
  const asker = new Asker(section);
  let chosen = new Set();
  let opened = null; // { id, word, steps }
  let compared = false;

  const remember = (options) => app.remember({
    ...formFields(form),
    ids: compared ? [...chosen].join(" ") : "",
    run: opened?.id ?? "",
    word: opened?.word ?? "",
    at: opened && opened.steps.at !== opened.steps.count ? opened.steps.at : "",
  }, options);
  const show = async (id, word = "", at = undefined) => {
    const answer = await asker.ask("run", { id });
    if (!answer?.ok) return;
    const mine = (opened = { id, word, steps: new Stepper(() => remember({ replace: true })) });
    const inside = el("div");
    const ask = async (text, from) => {
      mine.word = text;
      await step(inside, mine.steps, { run: id, word: text }, from);
    };
    one.replaceChildren(...whole(answer, inside, word, async (text) => {
      await ask(text);
      remember();
    }));
    if (word) await ask(word, at);
    else one.scrollIntoView({ block: "nearest" });
  };
  const open = async (id) => {
    await show(id);
    remember();
  };
  const compare = async () => {
    const { pooled, log } = form.elements;
    const answer = await asker.ask("curves", { ids: [...chosen], pooled: pooled.checked, log: log.checked });
    compared = Boolean(answer?.ok);
    plot.replaceChildren(...(compared ? drawn(answer) : []));
  };
  const fill = async () => {
    const { filter, state } = form.elements;
    const answer = await asker.ask("runs", { filter: filter.value, state: state.value });
    if (!answer?.ok) return;
    list.replaceChildren(...listed(answer, chosen, open));
  };
  const then = (todo) => async (event) => {
    event.preventDefault();
    await todo();
    remember();
  };
  form.addEventListener("submit", then(fill));
  form.elements.compare.addEventListener("click", then(compare));
  for (const name of ["pooled", "log"]) {
    form.elements[name].addEventListener("change", then(async () => { if (compared) await compare(); }));
  }
  return {
    async open(given) {
      fillForm(form, given);
      chosen = new Set((given.ids ?? "").split(" ").filter(Boolean));
      opened = null;
      one.replaceChildren();
      plot.replaceChildren();
      await fill();
      if (list.querySelector("input")) loadCharts();
      if (chosen.size) await compare();
      if (given.run) await show(given.run, given.word, given.at === undefined ? undefined : Number(given.at));
    },
  };
}

function* listed(answer, chosen, show) {
  const rows = answer.runs.map((run) => {
    const box = el("input", { type: "checkbox", checked: chosen.has(run.id), "aria-label": `choose ${run.id}` });
    box.addEventListener("change", () => (box.checked ? chosen.add(run.id) : chosen.delete(run.id)));
    const open = button(run.id, () => show(run.id), "small code");
    return [box, open, run.state, run.task ?? run.problem, run.position, run.seed, percents(run.accuracies)];
  });
  const title = `${answer.total} runs${rows.length < answer.total ? `, the newest ${rows.length}` : ""}`;
  if (rows.length) {
    yield card(title, table(["", "run", "state", "task", "encoding", "seed", "exact match"], rows, "Runs"));
  } else {
    yield card(title, el("p", {}, `Nothing in ${answer.store} matches. `,
      el("code", {}, "lengthwise train binary-majority --encoding nope"), " makes a run in about a minute; it appears here when you press List."));
  }
  const damaged = Object.entries(answer.damaged);
  if (damaged.length) {
    yield card(`${damaged.length} damaged, not counted`, table(["run", "what"], damaged, "Damaged runs"));
  }
  yield commands(answer.commands);
}

function* drawn(answer) {
  const { names, light, dark, dashes } = answer.styles;
  const legend = answer.series.map((one, k) => {
    const key = el("span", { className: `key${dashes[k][1] ? " dashed" : ""}`, "aria-hidden": "true" });
    key.style.setProperty("--light", light[k]);
    key.style.setProperty("--dark", dark[k]);
    return el("li", {}, key, `${names[k]} (${one.seeds === 1 ? "1 seed" : `${one.seeds} seeds`})`);
  });
  const rows = answer.series.flatMap((one) => one.bins.map((bin) => [one.name, ...bin]));
  const label = `Exact match against length. ${answer.series.map((one) => `${one.name}: ${one.bins.at(-1)?.[1] ?? "nothing"}`).join("; ")}.`;
  yield card("Exact match against length", chart(answer.chart, answer.styles, label),
    el("ul", { className: "legend" }, ...legend),
    el("p", { className: "help" }, "Bands are 95% intervals; trained lengths are shaded. Point at a curve for its values."),
    details("Values", table(["curve", "lengths", "exact match", "95% interval"], rows, "Values by range")));
  if (answer.commands.length) yield commands(answer.commands);
}

function* whole(run, inside, word, ask) {
  const known = ["state", "task", "position", "seed", "steps", "stopped", "seconds", "problem"]
    .filter((name) => run[name] !== null && run[name] !== undefined)
    .map((name) => [name, run[name]]);
  const bins = run.bins.map((bin) => [`${bin.low}-${bin.high}`, percents([bin.accuracy]), `${bin.correct} of ${bin.total}`]);
  const history = run.history.map((row) => [row.step, row.loss?.toFixed(4) ?? "", `${row.low}-${row.high}`, percents([row.accuracy])]);
  yield card(`Run ${run.id}`, facts(known),
    bins.length ? table(["lengths", "exact match", "tests"], bins, "By range of lengths") : null,
    history.length ? details("History", table(["step", "loss", "lengths", "exact match"], history, "Evaluations")) : null,
    details("Specification", el("pre", { className: "code", tabIndex: 0 }, JSON.stringify(run.spec, null, 2))));
  if (run.state === "done") yield* asked(run, inside, word, ask);
  yield commands(run.commands);
}

// A word of one's own, and the shortest one that the model gets wrong.
function* asked(run, inside, word, ask) {
  const field = el("input", { name: "word", value: word || run.example, autocomplete: "off", spellcheck: false });
  const form = el("form", { className: "inner" }, el("div", { className: "fields" }, el("label", { className: "wide" }, "Word", field)),
    el("p", { className: "help" }, run.writes),
    el("div", { className: "buttons" }, el("button", {}, "Step through it")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask(field.value);
  });
  yield card("Ask this model", form, inside);
  yield disagreement("Where does it go wrong?", () => ({ run: run.id }), (text) => {
    field.value = text;
    ask(text);
  }, "Look for the shortest mistake");
}
