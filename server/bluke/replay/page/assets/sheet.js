// The scorekeeper's sheet: a row for every hand of the schedule, filled in as the game goes.

/** `scores` are the scores so far, `step` the present, whose bids stand in the row of its hand. */
function drawSheet(scores, step) {
  const rows = DATA.schedule.map((size, number) => {
    const hand = DATA.hands[number];
    const dealt = hand !== undefined && step.hand !== undefined && number <= step.hand;
    const score = scores[number];
    const bids = score ? score.bids : dealt ? step.bids : [];
    const sum = bids.reduce((total, bid) => total + bid, 0);
    const kind = number === step.hand ? "now" : dealt ? null : "ahead";
    return h("tr", { class: kind },
      h("th", { scope: "row" }, dealt ? link(score ? score.at : String(number), String(number)) : String(number)),
      h("td", {}, String(size)),
      h("td", {}, dealt ? (hand.trump ? h("span", { class: `ct suit-${hand.trump}` }, h("span", { "aria-hidden": "true" }, SUIT[hand.trump].sign), hidden(suitName(hand.trump))) : h("span", {}, "–", hidden(" no trump"))) : ""),
      h("td", {}, sum ? `${sum}/${size}` : ""),
      DATA.names.map((_, seat) => entry(score, bids[seat], seat)));
  });
  const counts = (letter) => DATA.names.map((_, seat) => scores.filter((score) => score.outcomes[seat] === letter).length);
  const foot = [["S", "set"], ["O", "overtricks"], ["P", "perfect"]].map(([letter, word]) =>
    h("tr", { "data-outcome": letter }, h("th", { scope: "row", colspan: "4" }, `${letter} `, h("span", { class: "dim" }, word)), counts(letter).map((count) => h("td", {}, String(count)))));
  $("sheet").replaceChildren(
    h("table", { class: "sheet" },
      h("caption", {}, DATA.keeper === null ? "Bids, tricks and totals" : ["Kept by seat ", String(DATA.keeper), ", ", bdi(DATA.names[DATA.keeper])]),
      h("thead", {}, h("tr", {}, ["Hand", "Cards", "Trump", "Bids"].map((word) => h("th", { scope: "col" }, word)),
        DATA.names.map((name, seat) => h("th", { scope: "col", title: name }, hidden("Seat "), `${seat} `, bdi(name, "name"))))),
      h("tbody", {}, rows),
      h("tfoot", {}, foot)));
}

function entry(score, bid, seat) {
  if (!bid) return h("td", {});
  if (!score) return h("td", {}, h("span", { class: "mark" }, hidden("bid "), String(bid)));
  const letter = score.outcomes[seat];
  return h("td", { class: `out-${letter}` },
    h("span", { class: `mark ${letter}` }, hidden("bid "), String(bid)),
    h("span", { class: "took" }, hidden("took "), String(score.won[seat])),
    hidden(`, ${SPOKEN[letter]}, total `),
    h("span", { class: "sum" }, points(score.totals[seat])));
}
