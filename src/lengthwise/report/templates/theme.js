// Before anything is painted: the reader's choice, or what the system prefers.
(function () {
  let theme = null;
  try { theme = localStorage.getItem("lengthwise-theme"); } catch (error) { /* storage is off */ }
  if (theme !== "dark" && theme !== "light")
    theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.dataset.theme = theme;
})();
