// Beside the table: the move, the hand so far, what was said, the faults.

/** A link to a step. */
const link = (at, ...children) => h("a", { href: `#${at}` }, ...children);

/** Whether a seat's words are for whoever looks with the eyes of `view`. */
const mayHear = (seat, view) => view === null || view === seat;

function noteOf(step) {
  const regret = step.note.startsWith(DATA.regret);
  return h("p", { class: regret ? "note regret" : "note" }, regret && [h("span", { class: "tag warn" }, "regret"), " "], bdi(regret ? step.note.slice(DATA.regret.length) : step.note));
}

/** The details of a fault may name cards: others are told its kind alone. */
function faultOf(number, linked, view) {
  const fault = DATA.faults[number];
  const details = mayHear(fault.seat, view) ? [bdi(fault.detail), fault.answer && ["; sent: ", bdi(fault.answer, "answer")]] : "The details are hidden in this view.";
  return h("p", { class: "fault" },
    h("span", { class: "tag warn" }, "fault"), " ",
    linked && [link(fault.at, `#${fault.at}`), " "],
    bdi(DATA.names[fault.seat]), ` (seat ${fault.seat}): ${fault.kind}${fault.asked ? ` when asked to ${fault.asked}` : ""}. `, details);
}

/** Who made a move, if it was not the bot, in one letter. */
const letterOf = (step) => (step.referee ? "R" : "P");

/** The move of a step; its options are told by the step before. */
function drawMove(step, before, view) {
  const rows = [h("p", { class: "where" }, link(step.at, `#${step.at}`))];
  if (step.seat !== undefined) {
    const what = step.kind === "play" ? [step.shown === 1 ? "leads " : "plays ", cardText(step.value)] : step.kind === "bid" ? `bids ${step.value}` : step.value ? `cuts ${step.value}` : "taps";
    rows.push(h("p", { class: "did" }, bdi(DATA.names[step.seat], "name"), h("span", { class: "dim" }, ` seat ${step.seat} `), what));
    const facts = [time(step.ms), step.kind === "bid" && `could bid 1 to ${DATA.hands[step.hand].size}`].filter(Boolean).join(", ");
    rows.push(h("p", { class: "dim" }, facts, maker(step) && [facts && " ", h("span", { class: "tag" }, maker(step))]));
    if (step.kind === "play" && mayHear(step.seat, view)) {
      const could = heldCards(DATA.hands[step.hand], before.legal, step.seat);
      rows.push(h("div", { class: "could" }, h("p", { class: "dim" }, could.length === 1 ? "Had to play" : `Could play ${could.length} cards`),
        h("ul", { class: "cards", "aria-label": "Legal cards" }, could.map((card) => h("li", { class: card === step.value ? "chosen" : null }, drawCard(card, 32), card === step.value && hidden(", played"))))));
    }
    if (step.note && mayHear(step.seat, view)) rows.push(noteOf(step));
    if (step.note && !mayHear(step.seat, view)) rows.push(h("p", { class: "dim" }, "What it said is hidden in this view."));
  }
  if (step.kind === "score") {
    rows.push(h("table", { class: "small" }, h("caption", { class: "vh" }, `Score of hand ${step.hand}`),
      h("thead", {}, h("tr", {}, ["Bot", "Bid", "Took", "", "Points"].map((word) => h("th", { scope: "col" }, word || hidden("Outcome"))))),
      h("tbody", {}, DATA.names.map((name, seat) => h("tr", {}, h("th", { scope: "row" }, bdi(name)), h("td", {}, String(step.bids[seat])), h("td", {}, String(step.won[seat])), h("td", {}, OUTCOME[step.outcomes[seat]]), h("td", {}, signed(step.points[seat])))))));
  }
  rows.push(...(step.faults || []).map((number) => faultOf(number, false, view)));
  if (rows.length === 1) rows.push(h("p", {}, sentence(step)));
  $("move").replaceChildren(...rows);
}

/** Bids and tricks so far: `steps` are those of the hand up to now. */
function drawHand(steps, step) {
  if (steps.length === 0) {
    $("hand").replaceChildren(h("p", { class: "dim" }, "No hand has been dealt yet."));
    return;
  }
  const hand = DATA.hands[step.hand];
  const cell = (move, label) => (move ? h("td", { class: `${move.at === step.at ? "now" : ""}${move.referee ? " referee" : ""}` }, label(move), h("span", { class: "ms" }, time(move.ms), maker(move) && h("span", { title: maker(move) }, h("span", { "aria-hidden": "true" }, ` ${letterOf(move)}`), hidden(maker(move)))), move.note && h("span", { class: "said-mark", title: "said something" }, "•", hidden(" with a note"))) : h("td", {}));
  const row = (label, moves, text, kind) => h("tr", {}, h("th", { scope: "row" }, label), DATA.names.map((_, seat) => {
    const move = moves.find((one) => one.seat === seat);
    const made = cell(move, text);
    if (move && kind) kind(made, move, moves);
    return made;
  }));
  const bids = steps.filter((one) => one.kind === "bid");
  const tricks = [];
  for (const one of steps) if (one.kind === "play") (tricks[one.trick] ||= []).push(one);
  const body = [row("bids", bids, (move) => link(move.at, String(move.value)))];
  tricks.forEach((moves, number) => {
    body.push(row(`trick ${number}`, moves, (move) => link(move.at, cardText(move.value)), (made, move) => {
      if (move === moves[0]) made.prepend(h("span", { class: "led", title: "led" }, "▸", hidden("led ")));
      if (moves.at(-1).taken && moves.at(-1).best === move.seat) made.classList.add("took");
    }));
  });
  const won = steps.at(-1).won;
  $("hand").replaceChildren(
    h("p", { class: "dim" }, link(String(step.hand), `Hand ${step.hand}`), `: ${plural(hand.size, "card")}, dealer ${hand.dealer}, `, hand.trump ? ["trump ", h("span", { class: `ct suit-${hand.trump}` }, SUIT[hand.trump].sign), ` ${suitName(hand.trump)}`] : "no trump"),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": "hand-title" },
      h("table", { class: "hand" }, h("caption", { class: "vh" }, `Bids and tricks of hand ${step.hand} so far`),
        h("thead", {}, h("tr", {}, h("td", {}), DATA.names.map((name, seat) => h("th", { scope: "col", title: name }, hidden("Seat "), `${seat} `, bdi(name, "name"))))),
        h("tbody", {}, body),
        h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "taken"), won.map((count) => h("td", {}, String(count))))))),
  );
}

function drawSaid(steps, view) {
  const told = steps.filter((step) => step.seat !== undefined && step.note && mayHear(step.seat, view));
  const items = told.map((step) => h("li", {}, link(step.at, step.kind === "play" ? cardText(step.value) : step.kind === "bid" ? `bid ${step.value}` : "cut"), " ", bdi(DATA.names[step.seat], "name"), h("span", { class: "dim" }, ` ${time(step.ms)}`), noteOf(step)));
  $("said").replaceChildren(items.length ? h("ol", { class: "said", reversed: "" }, items.reverse()) : h("p", { class: "dim" }, "Nothing so far."));
}

function drawFaults(view) {
  const items = DATA.faults.map((_, number) => h("li", {}, faultOf(number, true, view)));
  $("faults").replaceChildren(items.length ? h("ol", { class: "plain" }, items) : h("p", { class: "dim" }, "None in this game."));
}
