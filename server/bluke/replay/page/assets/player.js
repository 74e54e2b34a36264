// Which step is shown, and all the ways to another one.

const STEPS = DATA.steps;
const STEP_OF = new Map(STEPS.map((step, i) => [step.at, i]));
const LAST = STEPS.length - 1;
const MOST = Math.max(1, ...DATA.hands.map((hand) => hand.size));
/** Milliseconds that a step stays at normal speed. */
const PACE = 900;

let now = 0;
let view = null;
let timer = null;
let settle = null;
/** The address that was followed or told last. */
let known = "";
let plan = null;
let sheet = null;

/** The steps of the hand of step `i`, up to it. */
function handSoFar(i) {
  let first = i;
  while (first > 0 && STEPS[first - 1].hand === STEPS[i].hand) first -= 1;
  return STEPS[i].hand === undefined ? [] : STEPS.slice(first, i + 1).filter((step) => step.kind !== "end");
}

function show(i, { moved = false } = {}) {
  const step = STEPS[i];
  const soFar = handSoFar(i);
  const plays = step.shown ? soFar.filter((one) => one.kind === "play").slice(-step.shown) : [];
  const from = moved && i === now + 1 && step.kind === "play" ? lyingAt(step.seat, step.value) : null;
  const focus = focused();
  now = i;
  drawTable(plan, step, plays, view);
  slide(from);
  drawMove(step, STEPS[i - 1], view);
  drawHand(soFar, step);
  drawSaid(soFar, view);
  const scores = STEPS.slice(0, i + 1).filter((one) => one.kind === "score");
  // The longest table of the page is drawn only when a bid or a score is new in it.
  const written = `${step.hand} ${scores.length} ${step.bids}`;
  if (written !== sheet) drawSheet(scores, step);
  sheet = written;
  drawStatus(step);
  const words = sentence(step);
  if ($("caption").textContent !== words) $("caption").textContent = words;
  $("slider").value = i;
  $("slider").setAttribute("aria-valuetext", words);
  $("count").textContent = `${i} / ${LAST}`;
  drawJumps();
  mark("first", i > 0);
  mark("back", i > 0);
  mark("handBack", handStart(-1) !== null);
  mark("next", i < LAST);
  mark("last", i < LAST);
  mark("handNext", handStart(1) !== null);
  refocus(focus);
  if (i === LAST) pause();
}

/** Where a card lies in a hand on the screen. */
function lyingAt(seat, card) {
  const pod = $("pods").querySelector(`[data-seat="${seat}"]`);
  return (pod?.querySelector(`[data-card="${card}"]`) || pod?.querySelector(".held li svg"))?.getBoundingClientRect();
}

/** The panels are made anew: a link that had the focus gets it back. */
function focused() {
  const element = document.activeElement;
  const panel = element?.closest("#move, #hand, #said, #sheet");
  return panel ? { panel, href: element.getAttribute("href") } : null;
}

function refocus(focus) {
  if (!focus || focus.panel.contains(document.activeElement)) return;
  const links = [...focus.panel.querySelectorAll("a")];
  const same = links.find((one) => one.getAttribute("href") === focus.href);
  (same || focus.panel.querySelector("[tabindex]") || $("controls")).focus({ preventScroll: true });
}

function drawStatus(step) {
  const hand = step.hand === undefined ? null : DATA.hands[step.hand];
  const parts = hand
    ? [`Hand ${step.hand} (0 to ${DATA.schedule.length - 1})`, plural(hand.size, "card"), hand.trump ? ["trump ", h("span", { class: `ct suit-${hand.trump}` }, SUIT[hand.trump].sign), ` ${suitName(hand.trump)}`] : "no trump", step.trick === undefined ? null : `trick ${step.trick}`]
    : ["Before the first hand"];
  $("status").replaceChildren(...parts.filter(Boolean).map((part) => h("span", {}, part)));
}

/** A control that has nowhere to go stays where the keyboard left it, and says that it does nothing. */
function mark(go, works) {
  document.querySelector(`[data-go="${go}"]`).setAttribute("aria-disabled", works ? "false" : "true");
}

function handStart(way) {
  const starts = STEPS.flatMap((step, i) => (step.kind === "deal" || step.kind === "end" || i === 0 ? [i] : []));
  const there = way > 0 ? starts.find((i) => i > now) : starts.findLast((i) => i < now);
  return there === undefined ? null : there;
}

const GO = {
  first: () => 0,
  back: () => Math.max(now - 1, 0),
  next: () => Math.min(now + 1, LAST),
  last: () => LAST,
  handBack: () => handStart(-1),
  handNext: () => handStart(1),
};

/** Whether a step is one to jump to; with a seat's view only what concerns that seat is. */
const JUMP = {
  set: (step) => (view === null ? (step.outcomes || "").includes("S") : step.outcomes?.[view] === "S"),
  fault: (step) => (step.faults || []).some((number) => view === null || DATA.faults[number].seat === view),
  regret: (step) => (step.note || "").startsWith(DATA.regret) && (view === null || step.seat === view),
};

function jumpTarget(what, way) {
  const found = STEPS.flatMap((step, i) => (JUMP[what](step) ? [i] : []));
  return way > 0 ? found.find((i) => i > now) : found.findLast((i) => i < now);
}

function drawJumps() {
  for (const what of Object.keys(JUMP)) {
    const count = STEPS.filter(JUMP[what]).length;
    $(`jump-${what}`).querySelector("[data-count]").textContent = String(count);
    for (const button of $(`jump-${what}`).querySelectorAll("button")) {
      button.disabled = count === 0;
      button.setAttribute("aria-disabled", jumpTarget(what, Number(button.dataset.way)) === undefined ? "true" : "false");
    }
  }
}

/** Goes to a step that a person asked for. */
function go(i) {
  if (i === null || i === undefined) return;
  pause();
  move(i);
}

function move(i) {
  show(i, { moved: true });
  // Browsers refuse an address that changes too often: it follows when the steps pause.
  clearTimeout(settle);
  settle = setTimeout(tellAddress, 150);
}

function tellAddress() {
  // Somebody has gone elsewhere just now: that address is followed in a moment, and must not be written over.
  if (location.hash !== known) return;
  try {
    history.replaceState(null, "", `#${STEPS[now].at}`);
    known = location.hash;
  } catch {
    // Then the address stays behind; the link beside the move is right.
  }
}

function play() {
  if (LAST === 0) return;
  if (now === LAST) show(0);
  setPlaying(true);
  const tick = () => {
    move(now + 1);
    if (now < LAST) timer = setTimeout(tick, wait());
  };
  timer = setTimeout(tick, wait() / 2);
}

const wait = () => (PACE * (STEPS[now].kind === "score" || STEPS[now].taken ? 2 : 1)) / Number($("speed").value);

function pause() {
  clearTimeout(timer);
  setPlaying(false);
}

function setPlaying(on) {
  if (!on) timer = null;
  const label = on ? "Pause" : "Play";
  $("play").setAttribute("aria-label", label);
  $("play-icon").setAttribute("href", on ? "#i-pause" : "#i-play");
}

const playing = () => $("play").getAttribute("aria-label") === "Pause";

/** The step that an address names: `3.2` is the first card of a trick and `3.bid` the first bid. */
function stepOf(address) {
  if (STEP_OF.has(address)) return STEP_OF.get(address);
  const first = [...STEP_OF.keys()].find((at) => at.startsWith(`${address}.`));
  return STEP_OF.get(first);
}

function followAddress() {
  known = location.hash;
  const address = location.hash.slice(1);
  if (address === "" || address === "controls") return;
  const there = stepOf(address);
  if (there === undefined) {
    $("caption").textContent = "There is no such move in this game: the address after # names none.";
    return;
  }
  pause();
  show(there, { moved: true });
}

const KEYS = { ArrowRight: "next", ArrowLeft: "back", Home: "first", End: "last" };

function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
  const at = event.target.closest("input, select, textarea, button, summary, a, .scroll");
  if (event.key === " ") {
    // On a control the space bar does what it always does there.
    if (at && !at.matches("a, .scroll, input")) return;
    event.preventDefault();
    $("play").click();
    return;
  }
  const name = event.shiftKey ? { ArrowRight: "handNext", ArrowLeft: "handBack" }[event.key] : KEYS[event.key];
  if (!name || at?.matches("select, .scroll, input")) return;
  event.preventDefault();
  go(GO[name]());
}

function measure() {
  plan = layout(DATA.names.length, $("table").clientWidth, MOST);
}

$("slider").max = LAST;
$("slider").addEventListener("input", () => go(Number($("slider").value)));
$("play").addEventListener("click", () => (playing() ? pause() : play()));
for (const button of document.querySelectorAll("[data-go]")) button.addEventListener("click", () => go(GO[button.dataset.go]()));
for (const button of document.querySelectorAll("[data-jump]")) button.addEventListener("click", () => go(jumpTarget(button.dataset.jump, Number(button.dataset.way))));
$("view").addEventListener("change", () => {
  view = $("view").value === "" ? null : Number($("view").value);
  drawFaults(view);
  show(now);
});
$("skip").addEventListener("click", (event) => {
  event.preventDefault();
  $("controls").focus();
});
toggle($("colours"), "colours", false, (four) => document.documentElement.classList.toggle("four", four));
addEventListener("hashchange", followAddress);
addEventListener("keydown", onKey);

measure();
drawFaults(view);
show(0);
followAddress();
new ResizeObserver(() => {
  if ($("table").clientWidth === plan.width) return;
  measure();
  show(now);
}).observe($("table"));
