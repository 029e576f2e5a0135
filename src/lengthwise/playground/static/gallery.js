// The pages that need no server open here: the languages whose answers were kept, and what cannot be asked.

import { address } from "./address.js";
import { kept } from "./ask.js";
import { el } from "./dom.js";

export function galleryView(section) {
  const result = section.querySelector(".result");
  return {
    open() {
      if (!result.children.length) result.replaceChildren(...kept.languages.map(tile));
    },
  };
}

function tile({ regex, title, states, plain, general }) {
  const badge = (answer) => el("span", { className: `badge ${{ in: "yes", out: "no" }[answer] ?? "undecided"}` }, { in: "yes", out: "no" }[answer] ?? answer);
  return el("a", { className: "card tile", href: address("language", { regex }) },
    el("h3", {}, el("code", {}, regex)), el("p", {}, title),
    el("p", { className: "row" }, badge(plain), el("span", { className: "said" }, "without positions: NoPE")),
    el("p", { className: "row" }, badge(general), el("span", { className: "said" }, "with positions: APE")),
    el("p", { className: "said" }, `${states} states`));
}
