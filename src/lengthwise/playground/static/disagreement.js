// The shortest word on which language, program and transformer differ.

import { Asker } from "./ask.js";
import { button, card, el, facts } from "./dom.js";

// request() says what is compared; tryWord(text) steps through what was found.
export function disagreement(title, request, tryWord, label = "Look for the shortest word on which they differ") {
  const status = el("p", { className: "help", role: "status" });
  const asker = new Asker(null, status);
  const found = el("div", { className: "found" });
  const look = button(label, async () => {
    const answer = await asker.ask("disagree", request());
    if (answer?.ok) found.replaceChildren(...shown(answer, tryWord));
  }, "");
  return card(title, look, status, found);
}

function* shown({ word, shown: text, said, known }, tryWord) {
  const written = text ?? word;
  if (written === null) yield el("p", { className: "outcome" }, "No difference was found.");
  else {
    yield el("p", { className: "outcome bad" }, written ? `They differ on ${written}` : "They differ on the empty word");
    yield facts(Object.entries(said), "pair");
    if (word) yield button("Step through it", () => tryWord(word));
  }
  yield el("ul", { className: "notes" }, ...known.map((line) => el("li", {}, line)));
}
