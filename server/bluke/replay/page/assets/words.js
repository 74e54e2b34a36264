// Steps in words: for the line under the table, which screen readers speak, and for the panels.

const OUTCOME = { S: "set", O: "over", P: "perfect" };
const SPOKEN = { S: "set", O: "made with overtricks", P: "perfect" };

const points = (number) => String(number).replace("-", "−");
const signed = (number) => (number > 0 ? `+${number}` : points(number));

function ordinal(place) {
  const teens = place % 100 >= 10 && place % 100 <= 20;
  return `${place}${(!teens && { 1: "st", 2: "nd", 3: "rd" }[place % 10]) || "th"}`;
}

/** Milliseconds as a person reads them. */
function time(ms) {
  if (ms === undefined || ms === null) return "";
  return ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

const list = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);
/** Names stand in isolates, which are characters: a sentence has no elements that could do it. */
const nameOf = (seat) => `\u2068${DATA.names[seat]}\u2069 (seat ${seat})`;

/** What a step says, as a sentence or two. */
const SENTENCE = {
  draw(step) {
    const drawn = DATA.rounds[step.value].map(([seat, card]) => `${nameOf(seat)} draws the ${cardName(card)}`);
    const last = step.value === DATA.rounds.length - 1;
    const settled = last ? ` ${nameOf(DATA.dealer)} deals first; ${nameOf(DATA.keeper)} keeps the score.` : "";
    return `${step.value ? "A tie is drawn again" : "The draw for the deal"}: ${list(drawn)}.${settled}`;
  },
  deal(step) {
    const hand = DATA.hands[step.hand];
    const cut = step.seat === undefined ? "" : ` ${nameOf(step.seat)} ${step.value ? `cuts ${plural(step.value, "card")}` : "taps"}${by(step)}.`;
    const turned = hand.turned ? ` The ${cardName(hand.turned)} is turned up: ` : " Nothing is left to turn up: ";
    return `Hand ${step.hand}, ${plural(hand.size, "card")} each, dealt by ${nameOf(hand.dealer)}.${cut}${turned}${hand.trump ? `${suitName(hand.trump)} are trump` : "no trump"}.`;
  },
  bid(step) {
    return `Hand ${step.hand}: ${nameOf(step.seat)} bids ${step.value}${by(step)}.`;
  },
  play(step) {
    const did = step.shown === 1 ? "leads" : "plays";
    const taken = step.taken ? ` ${nameOf(step.best)} takes the trick.` : "";
    return `Hand ${step.hand}, trick ${step.trick}: ${nameOf(step.seat)} ${did} the ${cardName(step.value)}${by(step)}.${taken}`;
  },
  score(step) {
    const each = DATA.names.map((_, seat) => `${nameOf(seat)} ${signed(step.points[seat])}${step.outcomes[seat] === "O" ? "" : ` ${OUTCOME[step.outcomes[seat]]}`}`);
    return `Hand ${step.hand} is scored: ${each.join(", ")}.`;
  },
  end(step) {
    const told = { complete: "The game is over.", forfeited: "The game ends here: it was forfeited.", void: "The game ends here: it is void.", unfinished: "The file ends here: the game was not finished." }[DATA.status];
    const order = DATA.names.map((_, seat) => seat);
    if (DATA.places) order.sort((a, b) => DATA.places[a] - DATA.places[b]);
    else order.sort((a, b) => step.totals[b] - step.totals[a]);
    const each = order.map((seat) => `${DATA.places ? `${ordinal(DATA.places[seat])} ` : ""}${nameOf(seat)} with ${points(step.totals[seat])}`);
    return `${told} ${each.join(", ")}.`;
  },
};

/** Who made a move, if it was not the bot. */
const maker = (step) => (step.referee ? "made by the referee" : step.forced ? "chosen by a person" : null);
const by = (step) => (maker(step) ? `, a move ${maker(step)}` : "");

function sentence(step) {
  const faults = (step.faults || []).map((number) => DATA.faults[number]).map((fault) => ` Fault of ${nameOf(fault.seat)}: ${fault.kind}.`);
  return SENTENCE[step.kind](step) + faults.join("");
}
