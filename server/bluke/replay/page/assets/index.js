// The list of games: sorted and filtered as a whole, shown a page at a time.

const SHOWN = 100;
const COLUMNS = ["file", "page", "status", "error", "game", "started", "names", "totals", "places", "faults"];
const GAMES = DATA.entries.map((values, number) => {
  const game = Object.fromEntries(COLUMNS.map((column, i) => [column, values[i]]));
  return { ...game, number, lower: game.names.map((name) => name.toLowerCase()) };
});

let sorted = { key: "", way: 1 };
let found = GAMES;
let page = 0;

/** The points that matter: those of the bots that are looked for, or of all. */
function pointsOf(game, bot) {
  return game.totals.filter((_, seat) => game.lower[seat].includes(bot));
}

function wanted() {
  const bot = $("bot").value.trim().toLowerCase();
  const status = $("status").value;
  const faults = $("faults").value;
  const least = $("least").value === "" ? -Infinity : Number($("least").value);
  const most = $("most").value === "" ? Infinity : Number($("most").value);
  const points = least > -Infinity || most < Infinity;
  return (game) =>
    (status === "" || game.status === status) &&
    (faults === "" || (game.status !== "broken" && (faults === "some") === game.faults > 0)) &&
    (bot === "" || game.lower.some((name) => name.includes(bot))) &&
    (!points || pointsOf(game, bot).some((total) => total >= least && total <= most));
}

const VALUE = {
  game: (game) => game.game || game.file,
  started: (game) => game.started,
  status: (game) => game.status,
  points: (game, bot) => Math.max(-Infinity, ...pointsOf(game, bot)),
  faults: (game) => game.faults,
};

function find() {
  found = GAMES.filter(wanted());
  const { key, way } = sorted;
  if (key) {
    const bot = $("bot").value.trim().toLowerCase();
    const values = new Map(found.map((game) => [game, VALUE[key](game, bot)]));
    const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    found.sort((a, b) => way * compare(values.get(a), values.get(b)) || a.number - b.number);
  }
  page = 0;
  draw();
}

function draw() {
  const first = page * SHOWN;
  const last = Math.min(first + SHOWN, found.length);
  $("rows").replaceChildren(...found.slice(first, last).map(row));
  $("count").textContent = found.length === 0 ? `None of ${plural(GAMES.length, "game")}` : `${first + 1} to ${last} of ${plural(found.length, "game")}${found.length < GAMES.length ? `, out of ${GAMES.length}` : ""}`;
  $("back").setAttribute("aria-disabled", page === 0 ? "true" : "false");
  $("next").setAttribute("aria-disabled", last >= found.length ? "true" : "false");
  for (const heading of document.querySelectorAll("[data-column]")) {
    const on = heading.dataset.column === sorted.key;
    heading.setAttribute("aria-sort", on ? (sorted.way > 0 ? "ascending" : "descending") : "none");
    heading.querySelector(".arrow").textContent = on ? (sorted.way > 0 ? " ▲" : " ▼") : " ↕";
  }
}

function row(game) {
  const name = bdi(game.game || game.file);
  const title = h("th", { scope: "row" }, game.page ? h("a", { href: game.page }, name) : name, game.game && h("div", { class: "file dim" }, bdi(game.file)));
  if (game.status === "broken") return h("tr", {}, title, h("td", { class: "error" }, bdi(game.error)), h("td", {}, tag("broken")), h("td", {}), h("td", {}));
  const order = game.names.map((_, seat) => seat);
  if (game.places) order.sort((a, b) => game.places[a] - game.places[b]);
  else order.sort((a, b) => game.totals[b] - game.totals[a]);
  const bots = order.map((seat) => h("li", {}, bdi(game.names[seat]), " ", h("b", {}, String(game.totals[seat]).replace("-", "−"))));
  const faults = game.faults ? h("span", { class: "tag warn" }, String(game.faults)) : "0";
  return h("tr", {}, title, h("td", {}, h("ul", { class: "bots" }, bots)), h("td", {}, tag(game.status)), h("td", {}, faults), h("td", { class: "when" }, game.started));
}

const tag = (status) => h("span", { class: status === "complete" ? "tag" : "tag warn" }, status);

function turn(by) {
  const to = page + by;
  if (to < 0 || to * SHOWN >= found.length) return;
  page = to;
  draw();
}

for (const button of document.querySelectorAll("[data-sort]")) {
  button.addEventListener("click", () => {
    const key = button.dataset.sort;
    // Points and faults are looked at from the top, names and times from the start.
    const way = key === "points" || key === "faults" ? -1 : 1;
    sorted = { key, way: sorted.key === key ? -sorted.way : way };
    find();
  });
}
$("filters").addEventListener("input", find);
$("filters").addEventListener("reset", () => setTimeout(find));
$("filters").addEventListener("submit", (event) => event.preventDefault());
$("back").addEventListener("click", () => turn(-1));
$("next").addEventListener("click", () => turn(1));
find();
