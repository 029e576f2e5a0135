// Asking the server. A view has one question at a time: a new one, or Cancel, drops the old one's
// connection, and the server then kills its computation.

export async function ask(action, request, signal) {
  const response = await fetch(`api/${action}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
    signal,
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

export class Asker {
  constructor(section) {
    this.status = section.querySelector(".status");
    this.cancel = section.querySelector(".cancel");
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
