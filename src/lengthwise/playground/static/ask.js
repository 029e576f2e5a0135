// Asking. A view has one question at a time: a new one, or Cancel, drops the old one's connection, and the server then kills its
// computation. A site without a server has answers that were kept when it was written (kept/index.js), and says so for others.

import { loadScript } from "./dom.js";

export const kept = window.lengthwiseKept ?? null;

export async function ask(action, request, signal) {
  if (kept) return fromKept(action, request);
  const response = await fetch(`api/${action}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
    signal,
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

// Fields without a value do not count, and their order does not matter.
function keyOf(action, request) {
  const used = Object.entries(request).filter(([, value]) => value !== "" && value !== null && value !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([action, ...used]);
}

async function fromKept(action, request) {
  const file = kept.files[keyOf(action, request)];
  if (file === undefined) return { ok: false, error: kept.refusals[action] ?? kept.refusals.other };
  if (!(file in kept.answers)) await loadScript(`../kept/${file}.js`);
  return { ...kept.answers[file], elapsed: undefined };
}

export class Asker {
  constructor(section, status = section.querySelector(".status")) {
    this.status = status;
    this.cancel = section?.querySelector(".cancel");
    this.cancel?.addEventListener("click", () => this.stop("cancelled"));
    this.current = null;
  }

  stop(why) {
    this.current?.abort();
    this.current = null;
    if (this.cancel) this.cancel.hidden = true;
    this.say(why);
  }

  say(text, bad = false) {
    this.status.textContent = text;
    this.status.classList.toggle("bad", bad);
    this.status.setAttribute("role", bad ? "alert" : "status");
  }

  // Returns the answer, or null when it failed (then the reason is shown) or was overtaken.
  async ask(action, request, { quiet = false } = {}) {
    this.current?.abort();
    const mine = (this.current = new AbortController());
    if (!quiet) this.say("computing …");
    if (this.cancel) this.cancel.hidden = false;
    try {
      const answer = await ask(action, request, mine.signal);
      if (this.current !== mine) return null;
      this.say(answer.ok ? said(answer) : answer.error, !answer.ok);
      return answer;
    } catch (error) {
      if (error.name === "AbortError" || this.current !== mine) return null;
      this.say(`the server did not answer (${error.message}); is \`lengthwise ui\` still running?`, true);
      return null;
    } finally {
      if (this.current === mine) {
        this.current = null;
        if (this.cancel) this.cancel.hidden = true;
      }
    }
  }
}

function said(answer) {
  return answer.elapsed === undefined ? "" : `done in ${answer.elapsed} s`;
}
