import { fillForm, formFields } from "./address.js";
import { Asker } from "./ask.js";
import { card, commands, el, percents, table } from "./dom.js";

const PAUSE = 2000;

export function liveView(section, app) {
  const form = section.querySelector("form");
  const result = section.querySelector(".result");
  const asker = new Asker(section);
  const { name, follow } = form.elements;
  let timer = null;

  const look = async () => {
    clearTimeout(timer);
    const answer = await asker.ask("sweep", name.value ? { name: name.value } : {}, { quiet: true });
    if (answer && !answer.ok) result.replaceChildren();
    if (answer?.ok) {
      offer(name, answer.sweeps);
      asker.say(answer.sweep ? sentence(answer) : "nothing is running");
      result.replaceChildren(...(answer.sweep ? shown(answer) : nothing(answer)));
    }
    if (!section.hidden && follow.checked && !(answer?.ok && answer.over)) timer = setTimeout(look, PAUSE);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    look();
  });
  form.addEventListener("change", () => app.remember(formFields(form)));
  name.addEventListener("change", look);
  follow.addEventListener("change", () => (follow.checked ? look() : clearTimeout(timer)));
  return {
    open(given) {
      if (given.name && ![...name.options].some((one) => one.value === given.name)) offer(name, [given.name]);
      fillForm(form, given);
      return look();
    },
    back: look,
    close: () => clearTimeout(timer),
  };
}

function* nothing({ store, example, commands: list }) {
  yield card("No sweep yet",
    el("p", {}, "A sweep trains many runs: every task with every encoding and seed of a file. Its progress appears here by itself, even if it runs on another machine that shares the store ", el("code", {}, store), "."),
    el("p", {}, "A first one, of about a minute, is this file ", el("code", {}, "sweep.toml"), ":"),
    el("pre", { className: "code", tabIndex: 0 }, example));
  yield commands(list);
}

function offer(select, names) {
  const known = [...select.options].slice(1).map((option) => option.value);
  if (known.join() === names.join()) return;
  const chosen = select.value;
  select.replaceChildren(select.options[0], ...names.map((one) => el("option", { value: one }, one)));
  select.value = names.includes(chosen) ? chosen : "";
}

function sentence(now) {
  const left = now.seconds_left === null ? "" : `, about ${duration(now.seconds_left)} left`;
  return `${now.done} of ${now.total} done, ${now.running.length} running, ${now.waiting} waiting, `
    + `${now.failed.length} failed${now.damaged.length ? `, ${now.damaged.length} damaged` : ""}${now.over ? "; it is over" : left}`;
}

function duration(seconds) {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

function* shown(now) {
  const brief = (run) => [run.id, run.task, run.position, run.seed];
  yield card(`Sweep ${now.sweep}`,
    el("progress", { max: now.total, value: now.done, "aria-label": "runs done" }),
    now.running.length ? table(["run", "task", "encoding", "seed", "step", "exact match so far"],
      now.running.map((run) => [...brief(run), bar(run), percents(run.accuracies)]), "Running") : null,
    now.failed.length ? table(["run", "task", "encoding", "seed", "why"],
      now.failed.map((run) => [...brief(run), run.reason]), "Failed") : null,
    now.damaged.length ? table(["run", "task", "encoding", "seed", "what"],
      now.damaged.map((run) => [...brief(run), run.reason]), "Damaged: not counted; `lengthwise sweep --repair` mends them") : null,
    now.finished.length ? table(["run", "task", "encoding", "seed", "exact match"],
      now.finished.map((run) => [...brief(run), percents(run.accuracies)]), "Finished, newest first") : null);
  yield commands(now.commands);
}

function bar(run) {
  return el("span", { className: "row" }, el("progress", { max: run.steps, value: run.step, "aria-label": `steps of ${run.id}` }),
    `${run.step} of ${run.steps}`);
}
