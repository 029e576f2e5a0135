import { Asker } from "./ask.js";
import { card, commands, details, el, facts, percents, picture, table } from "./dom.js";

export function runsView(section) {
  const form = section.querySelector("form");
  const [chart, list, one] = ["chart", "list", "one"].map((name) => section.querySelector(`.result.${name}`));
  const asker = new Asker(section);
  const chosen = new Set();

  const show = async (id) => {
    const answer = await asker.ask("run", { id });
    if (answer?.ok) {
      one.replaceChildren(...whole(answer));
      one.scrollIntoView({ block: "nearest" });
    }
  };
  const compare = async () => {
    const { pooled, log } = form.elements;
    const answer = await asker.ask("curves", { ids: [...chosen], pooled: pooled.checked, log: log.checked });
    chart.replaceChildren(...(answer?.ok ? drawn(answer) : []));
  };
  const fill = async () => {
    const { filter, state } = form.elements;
    const answer = await asker.ask("runs", { filter: filter.value, state: state.value });
    if (!answer?.ok) return;
    one.replaceChildren();
    list.replaceChildren(...listed(answer, chosen, show));
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    fill();
  });
  form.elements.compare.addEventListener("click", compare);
  for (const name of ["pooled", "log"]) {
    form.elements[name].addEventListener("change", () => { if (chart.children.length) compare(); });
  }
  return { open: fill };
}

function* listed(answer, chosen, show) {
  const rows = answer.runs.map((run) => {
    const box = el("input", { type: "checkbox", checked: chosen.has(run.id), "aria-label": `choose ${run.id}` });
    box.addEventListener("change", () => (box.checked ? chosen.add(run.id) : chosen.delete(run.id)));
    const open = el("button", { type: "button", className: "small code", onclick: () => show(run.id) }, run.id);
    return [box, open, run.state, run.task ?? run.problem, run.position, run.seed, percents(run.accuracies)];
  });
  const title = `${answer.total} runs${rows.length < answer.total ? `, the newest ${rows.length}` : ""}`;
  if (rows.length) {
    yield card(title, table(["", "run", "state", "task", "encoding", "seed", "exact match"], rows, "Runs"));
  } else {
    yield card(title, el("p", {}, `Nothing in ${answer.store} matches. `,
      el("code", {}, "lengthwise train binary-majority --encoding nope"), " makes a run."));
  }
  const damaged = Object.entries(answer.damaged);
  if (damaged.length) {
    yield card(`${damaged.length} damaged, not counted`, table(["run", "what"], damaged, "Damaged runs"));
  }
  yield commands(answer.commands);
}

function* drawn(answer) {
  const legend = answer.series.map((one, k) => el("li", {},
    el("span", { className: `key s${k % 8}${k >= 8 ? " dashed" : ""}`, "aria-hidden": "true" }),
    `${one.name} (${one.seeds === 1 ? "1 seed" : `${one.seeds} seeds`})`));
  const rows = answer.series.flatMap((one) => one.bins.map((bin) => [one.name, ...bin]));
  yield card("Exact match against length", picture(answer.picture, "plot"),
    el("ul", { className: "legend" }, ...legend),
    el("p", { className: "help" }, "Bands are 95% intervals; trained lengths are shaded. Point at a dot for its value."),
    details("Values", table(["curve", "lengths", "exact match", "95% interval"], rows, "Values by range")));
  if (answer.commands.length) yield commands(answer.commands);
}

function* whole(run) {
  const known = ["state", "task", "position", "seed", "steps", "stopped", "seconds", "problem"]
    .filter((name) => run[name] !== null && run[name] !== undefined)
    .map((name) => [name, run[name]]);
  const bins = run.bins.map((bin) => [`${bin.low}-${bin.high}`, percents([bin.accuracy]), `${bin.correct} of ${bin.total}`]);
  const history = run.history.map((row) => [row.step, row.loss?.toFixed(4) ?? "", `${row.low}-${row.high}`, percents([row.accuracy])]);
  yield card(`Run ${run.id}`, facts(known),
    bins.length ? table(["lengths", "exact match", "tests"], bins, "By range of lengths") : null,
    history.length ? details("History", table(["step", "loss", "lengths", "exact match"], history, "Evaluations")) : null,
    details("Specification", el("pre", { className: "code", tabIndex: 0 }, JSON.stringify(run.spec, null, 2))));
  yield commands(run.commands);
}
