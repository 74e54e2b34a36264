// Cards: their names, and our own drawing of them.

const SUIT = {
  C: { name: "clubs", sign: "♣" },
  D: { name: "diamonds", sign: "♦" },
  H: { name: "hearts", sign: "♥" },
  S: { name: "spades", sign: "♠" },
};
const RANK = {
  2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine",
  T: "ten", J: "jack", Q: "queen", K: "king", A: "ace",
};
const BLUKE = { LO: "Lo Bluke", HI: "Hi Bluke" };

const cardName = (card) => BLUKE[card] || `${RANK[card[0]]} of ${SUIT[card[1]].name}`;
const rankText = (card) => (card[0] === "T" ? "10" : card[0]);
const suitName = (suit) => (suit === null ? "no trump" : SUIT[suit].name);

/** A card as a word within a sentence or a table. */
function cardText(card) {
  if (BLUKE[card]) return h("span", { class: `ct bluke-${card}`, title: BLUKE[card] }, card === "HI" ? "Hi" : "Lo", hidden(" Bluke"));
  return h("span", { class: `ct suit-${card[1]}`, title: cardName(card) }, h("span", { "aria-hidden": "true" }, rankText(card) + SUIT[card[1]].sign), hidden(cardName(card)));
}

const use = (id, x, y, width, height, kind) => s("use", { href: `#${id}`, x, y, width, height: height || width, class: kind || null });

/** A card as a drawing `width` pixels wide, face down if `card` is null. Small ones show only what fits. */
function drawCard(card, width, kind) {
  const small = width < 34;
  const face = card === null ? [s("use", { href: "#back", width: 50, height: 70 })] : small ? smallFace(card) : fullFace(card);
  const suit = card === null ? "card-back" : BLUKE[card] ? `bluke-${card}` : `suit-${card[1]}`;
  return s(
    "svg",
    {
      class: `card ${suit} ${kind || ""}`,
      viewBox: "0 0 50 70",
      width,
      height: Math.round(width * 1.4),
      role: "img",
      "aria-label": card === null ? "face down" : cardName(card),
      "data-card": card,
    },
    s("rect", { class: "card-paper", x: 0.75, y: 0.75, width: 48.5, height: 68.5, rx: small ? 7 : 5 }),
    face,
  );
}

function smallFace(card) {
  if (BLUKE[card]) return [s("text", { x: 4, y: 25, class: "rank small-word" }, card), use("cap", 3, 31, 34, 29)];
  return [s("text", { x: 4, y: 29, class: `rank small-rank${card[0] === "T" ? " ten" : ""}` }, rankText(card)), use(`suit-${card[1]}`, 4, 36, 26)];
}

function fullFace(card) {
  const corner = BLUKE[card]
    ? [s("text", { x: 4, y: 15, class: "rank word" }, card)]
    : [s("text", { x: 3.5, y: 17, class: `rank${card[0] === "T" ? " ten" : ""}` }, rankText(card)), use(`suit-${card[1]}`, 4, 20, 10)];
  const court = "JQK".includes(card[0]) && !BLUKE[card];
  const middle = BLUKE[card]
    ? [use("cap", 9, 22, 32, 27)]
    : court
      ? [use(`court-${card[0]}`, 16, 20, 18, 15), use(`suit-${card[1]}`, 18, 37, 14)]
      : [use(`suit-${card[1]}`, 14, 24, 22)];
  return [...middle, s("g", {}, corner), s("g", { transform: "rotate(180 25 35)" }, corner.map((part) => part.cloneNode(true)))];
}
