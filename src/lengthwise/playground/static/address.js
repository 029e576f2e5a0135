// The address holds the state: #view?field=value&... A link or a reload brings everything back.

export function readAddress() {
  const hash = location.hash.slice(1);
  const cut = hash.indexOf("?");
  const query = new URLSearchParams(cut < 0 ? "" : hash.slice(cut + 1));
  return { name: cut < 0 ? hash : hash.slice(0, cut), fields: Object.fromEntries(query) };
}

export function address(name, fields) {
  const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== "" && value !== undefined));
  return `#${name}${String(query) ? `?${query}` : ""}`;
}

function controls(form) {
  return [...form.elements].filter((one) => one.name && one.type !== "button" && one.type !== "submit");
}

function usual(one) {
  if (one.type === "checkbox") return one.defaultChecked;
  if (one.options) return ([...one.options].find((option) => option.defaultSelected) ?? one.options[0])?.value ?? "";
  return one.defaultValue;
}

const value = (one) => (one.type === "checkbox" ? one.checked : one.value);

// What differs from how the page was delivered.
export function formFields(form) {
  const changed = controls(form).filter((one) => value(one) !== usual(one));
  return Object.fromEntries(changed.map((one) => [one.name, one.type === "checkbox" ? String(Number(one.checked)) : one.value]));
}

export function fillForm(form, fields) {
  for (const one of controls(form)) {
    const given = fields[one.name];
    if (one.type === "checkbox") one.checked = given === undefined ? usual(one) : given === "1";
    else one.value = given ?? usual(one);
  }
}
