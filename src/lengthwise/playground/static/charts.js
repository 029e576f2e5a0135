// Charts by Vega, which is loaded when the first one is drawn. Expressions are interpreted, as the page may evaluate no text.

import { el, loadScript } from "./dom.js";

export function loadCharts() {
  return loadScript("vega.js");
}

export function chart(spec, styles, label) {
  const inner = el("div", { className: "vega" });
  const box = el("div", { className: "picture plot", role: "img", "aria-label": label }, inner);
  const draw = () => loadCharts()
    .then(() => window.vegaEmbed(inner, coloured(spec, styles), {
      ast: true, actions: false, renderer: "svg", defaultStyle: false, config: look(),
      tooltip: { disableDefaultStyle: true, theme: "custom" },
    }))
    .catch((error) => inner.replaceChildren(el("p", { className: "warning" }, `The chart could not be drawn: ${error.message}`)));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (box.isConnected) draw(); });
  requestAnimationFrame(draw);
  return box;
}

function coloured(spec, { light, dark }) {
  const range = matchMedia("(prefers-color-scheme: dark)").matches ? dark : light;
  const layer = spec.layer.map((one) => {
    const { color } = one.encoding;
    return color ? { ...one, encoding: { ...one.encoding, color: { ...color, scale: { ...color.scale, range } } } } : one;
  });
  return { ...spec, layer };
}

function look() {
  const style = getComputedStyle(document.documentElement);
  const [soft, ink, rule] = ["--soft", "--ink", "--rule"].map((name) => style.getPropertyValue(name).trim());
  const small = { labelFontSize: 11, titleFontSize: 11, titleFontWeight: "normal" };
  return {
    background: null, font: "system-ui, sans-serif", view: { stroke: null }, rect: { fill: soft }, rule: { color: soft }, text: { color: ink },
    axis: { labelColor: soft, titleColor: soft, domainColor: soft, tickColor: soft, gridColor: rule, ...small },
    legend: { labelColor: ink, titleColor: soft, ...small },
  };
}
