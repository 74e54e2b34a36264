// What every page shares. Elements are made of text nodes only: nothing that a bot said is ever read as HTML.

const $ = (id) => document.getElementById(id);
const DATA = JSON.parse($("data").textContent);

/** An element with attributes and children; `null`, `undefined` and `false` among either are left out. */
function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
function s(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  const there = (value) => value !== null && value !== undefined && value !== false;
  for (const [name, value] of Object.entries(attributes || {})) {
    if (there(value)) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter(there));
  return element;
}

/** Text for a screen reader alone. */
const hidden = (text) => h("span", { class: "vh" }, text);

/** A bot's own words, kept from turning the direction of those around them. */
const bdi = (text, kind) => h("bdi", { class: kind || null }, text);

const plural = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** What was chosen before, if this browser lets a file remember anything. */
function remembered(key) {
  try {
    return localStorage.getItem(`bluke-${key}`);
  } catch {
    return null;
  }
}

function remember(key, value) {
  try {
    localStorage.setItem(`bluke-${key}`, value);
  } catch {
    // Then it lasts as long as the page.
  }
}

/** A button that switches a value of the page's root on and off. */
function toggle(button, key, on, apply) {
  const set = (value) => {
    button.setAttribute("aria-pressed", value);
    apply(value);
  };
  button.addEventListener("click", () => {
    const value = button.getAttribute("aria-pressed") !== "true";
    remember(key, value ? "on" : "off");
    set(value);
  });
  const before = remembered(key);
  set(before === null ? on : before === "on");
  return set;
}

const wantsDark = matchMedia("(prefers-color-scheme: dark)");
const setDark = toggle($("theme"), "dark", wantsDark.matches, (dark) => {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
});
wantsDark.addEventListener("change", () => {
  if (remembered("dark") === null) setDark(wantsDark.matches);
});
