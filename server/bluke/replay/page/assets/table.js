// The table from above. Where everybody sits is worked out here; what they hold and whose turn it is, the steps say.

/** How many seats sit below, at each side, and above, by the number of seats: clockwise from seat 0, below in the middle. */
const WIDE = [, , [1, 0, 1], [1, 1, 0], [1, 1, 1], [1, 1, 2], [1, 1, 3], [1, 2, 2], [3, 1, 3], [3, 1, 4], [3, 2, 3], [3, 2, 4], [3, 2, 5], [5, 2, 4], [5, 2, 5], [5, 2, 6]];
const NARROW = [, , [1, 0, 1], [1, 1, 0], [1, 1, 1], [1, 1, 2], [1, 2, 1], [1, 2, 2], [1, 3, 1], [1, 3, 2], [3, 2, 3], [3, 3, 2], [3, 3, 3], [3, 4, 2], [3, 4, 3], [3, 4, 4]];
const GAP = 6;
/** How far the outer seats of a side stand in, for the round of the table. */
const SHIFT = 34;

/** How `count` cards lie where there is `room`: their width, the step from one to the next, and how many are in a line. */
function fan(count, room, width) {
  for (let lines = 1; ; lines += 1) {
    const each = Math.ceil(count / lines);
    const step = each < 2 ? 0 : Math.min(width + 3, (room - width) / (each - 1));
    if (each < 2 || step >= width * 0.55) return { width, step, each, height: width * 1.4 + (lines - 1) * width * 0.95 };
  }
}

/** The places of `seats` pods on a table `width` pixels wide, when `most` cards are the largest hand. */
function layout(seats, width, most) {
  const narrow = width < 620;
  const [below, side, above] = (narrow ? NARROW : WIDE)[seats];
  const head = narrow ? 40 : 50;
  const rowRoom = (count) => Math.min((width - GAP * (count - 1)) / Math.max(count, 1), narrow ? 340 : seats < 5 ? 430 : seats < 9 ? 250 : 170);
  const sideWidth = side === 0 ? 0 : narrow ? width * (seats < 5 ? 0.31 : seats < 9 ? 0.3 : 0.25) : width * (seats < 5 ? 0.27 : seats < 9 ? 0.24 : 0.18);
  const card = narrow ? (seats < 4 ? 26 : 24) : seats < 3 ? 48 : seats < 5 ? 44 : seats < 9 ? 36 : 34;
  const pad = narrow ? 5 : 8;
  const box = (w) => {
    const cards = fan(most, w - 2 * pad - 2, card);
    return { w, h: head + cards.height + pad, cards };
  };
  const belowBox = box(rowRoom(Math.max(below, above > 2 ? above : 1)));
  const aboveBox = box(rowRoom(Math.max(above, below > 2 ? below : 1)));
  const sideBox = box(sideWidth);
  const bend = narrow ? 10 : 26;
  const trickCard = narrow ? (seats < 5 ? 42 : seats < 7 ? 34 : 28) : seats < 5 ? 62 : seats < 9 ? 50 : width < 760 ? 30 : 38;
  const middle = Math.max(side * sideBox.h + (side + 1) * GAP * (narrow ? 1 : 2), trickCard * 4.8);
  const bends = (above > 1 ? bend : 0) + (below > 1 ? bend : 0);
  const height = (above ? aboveBox.h : GAP * 4) + middle + belowBox.h + bends + 2 * GAP;
  const places = [];
  const row = (count, { w, h: tall, cards }, y, leftToRight, inward) => {
    const spread = Math.min((width - w) / Math.max(count - 1, 1), count === 2 && !narrow ? Math.max(w + GAP * 4, width * 0.4) : width);
    for (let i = 0; i < count; i += 1) {
      const at = (i - (count - 1) / 2) * (leftToRight ? 1 : -1);
      const away = count < 2 ? 0 : (Math.abs(at) / ((count - 1) / 2)) ** 2;
      places.push({ x: width / 2 + at * spread, y: y + inward * away * bend, w, h: tall, cards });
    }
  };
  const column = (x, upward) => {
    const top = (above ? aboveBox.h : GAP * 4) + (above > 1 ? bend : 0) + GAP;
    for (let i = 0; i < side; i += 1) {
      const part = (i + 0.5) / side;
      const inset = narrow || side < 2 ? 0 : SHIFT * (2 * Math.abs(part - 0.5)) ** 2;
      const y = top + middle * (upward ? 1 - part : part);
      places.push({ x: x < width / 2 ? x + inset : x - inset, y, w: sideBox.w, h: sideBox.h, cards: sideBox.cards });
    }
  };
  // Seat 0 sits in the middle below; those at its left follow, and at last those at its right.
  row(below, belowBox, height - belowBox.h / 2 - GAP, false, -1);
  const own = (below - 1) / 2;
  const right = places.splice(0, own);
  column(sideBox.w / 2, true);
  row(above, aboveBox, aboveBox.h / 2 + GAP, true, 1);
  column(width - sideBox.w / 2, false);
  places.push(...right);
  const top = above ? aboveBox.h + (above > 1 ? bend : 0) : GAP * 4;
  const bottom = belowBox.h + (below > 1 ? bend : 0);
  const oval = ring({ left: sideBox.w + (narrow || side < 2 ? 0 : SHIFT), top, right: width, bottom: height - bottom }, trickCard, seats < 5);
  return { places, width, height, narrow, trickCard, middle: oval, spots: spots(seats, oval) };
}

/** The oval on which the cards of a trick lie: its middle and its two radii. `left` is as far in as the seats reach. */
function ring({ left, top, right, bottom }, card, close) {
  const across = right / 2 - left - card / 2 - 6;
  const down = (bottom - top) / 2 - card * 0.7 - 6;
  return {
    x: right / 2,
    y: (top + bottom) / 2,
    across: close ? Math.min(across, card * 1.7) : across,
    down: close ? Math.min(down, card * 1.6) : down,
  };
}

/** The spots of the cards of a trick, equally far from each other on the oval, the first one below. */
function spots(count, { x, y, across, down }) {
  const parts = 720;
  const points = Array.from({ length: parts + 1 }, (_, i) => {
    const angle = Math.PI * (0.5 + (2 * i) / parts);
    return { x: x + across * Math.cos(angle), y: y + down * Math.sin(angle) };
  });
  const walked = [0];
  for (let i = 1; i <= parts; i += 1) walked.push(walked[i - 1] + Math.hypot(points[i].x - points[i - 1].x, points[i].y - points[i - 1].y));
  return Array.from({ length: count }, (_, i) => points[walked.findIndex((far) => far >= (walked[parts] * i) / count)]);
}

function put(element, x, y) {
  element.style.left = `${x.toFixed(1)}px`;
  element.style.top = `${y.toFixed(1)}px`;
  return element;
}

/** The cards that a seat still holds, in the order of its hand. */
const heldCards = (hand, mask, seat) => hand.cards[seat].filter((_, place) => mask & (1 << place));

/** Draws one step. `view` is the seat whose cards alone are seen, or null for all. */
function drawTable(plan, step, plays, view) {
  const seats = DATA.names.length;
  const hand = step.hand === undefined ? null : DATA.hands[step.hand];
  const turns = (seat) => (seat - (view || 0) + seats) % seats;
  $("table").style.height = `${plan.height}px`;
  $("table").classList.toggle("narrow", plan.narrow);
  $("pods").replaceChildren(...DATA.names.map((_, seat) => pod(plan, plan.places[turns(seat)], step, hand, seat, view)));
  const cards = step.kind === "draw" ? DATA.rounds[step.value] : plays.map((play) => [play.seat, play.value]);
  $("trick").replaceChildren(
    ...cards.map(([seat, card], i) => {
      const play = plays[i];
      const best = play !== undefined && seat === step.best;
      const spot = plan.spots[turns(seat)];
      const marks = [play && maker(play), i === 0 && play && "led", best && (step.taken ? "takes the trick" : "taking it so far")].filter(Boolean);
      const width = plan.trickCard;
      const item = h(
        "li",
        { class: `lying${best ? " best" : ""}${best && step.taken ? " takes" : ""}${i === cards.length - 1 ? " newest" : ""}`, "data-seat": seat },
        hidden(`Seat ${seat}: `),
        drawCard(card, width),
        play && i === 0 && h("span", { class: "under", "aria-hidden": "true" }, "led"),
        play && maker(play) && h("span", { class: "corner", "aria-hidden": "true", title: maker(play) }, letterOf(play)),
        marks.length > 0 && hidden(`, ${marks.join(", ")}`),
      );
      return put(item, spot.x - width / 2, spot.y - width * 0.7);
    }),
  );
  const middle = $("middle");
  middle.replaceChildren();
  if (hand) {
    if (hand.turned) middle.append(drawCard(hand.turned, plan.narrow ? 24 : 36, "turned"));
    middle.append(hand.trump ? s("svg", { class: `trump suit-${hand.trump}`, viewBox: "0 0 20 20", role: "img", "aria-label": `trump: ${suitName(hand.trump)}` }, use(`suit-${hand.trump}`, 0, 0, 20)) : h("span", { class: "no-trump" }, "no trump"));
  }
  put(middle, plan.middle.x, plan.middle.y);
}

function pod(plan, place, step, hand, seat, view) {
  const turn = step.turn === seat;
  const open = view === null || view === seat;
  const bid = step.bids?.[seat] || 0;
  const won = step.won?.[seat] || 0;
  const letter = step.outcomes?.[seat];
  const item = h(
    "li",
    { class: `pod${turn ? " turn" : ""}${step.best === seat && step.taken ? " won" : ""}${letter ? ` out-${letter}` : ""}${place.w < 118 ? " tight" : place.w > 200 ? " roomy" : ""}`, "data-seat": seat },
    h("div", { class: "who" },
      h("span", { class: "no" }, hidden("Seat "), String(seat)),
      h("bdi", { class: "name", title: DATA.names[seat] }, DATA.names[seat]),
      hand?.dealer === seat && h("span", { class: "chip", title: "dealer" }, "D", hidden("ealer")),
      step.leader === seat && h("span", { class: "chip lead", title: "leads" }, h("span", { "aria-hidden": "true" }, "▸"), hidden("leads")),
    ),
    h("div", { class: "tells" },
      hand && h("span", { class: "bid" }, h("span", { class: "word" }, "bid "), bid ? String(bid) : "–"),
      hand && h("span", { class: "took" }, h("span", { class: "word" }, "took "), h("span", { class: "slash", "aria-hidden": "true" }, "/"), String(won)),
      h("span", { class: "total" }, points(step.totals[seat]), h("span", { class: "word unit" }, " points")),
    ),
    turn && h("span", { class: "todo" }, step.asked === "bid" ? "to bid" : step.shown && !step.taken ? "to play" : "to lead"),
    letter && h("span", { class: `todo out ${letter}` }, `${OUTCOME[letter]} ${signed(step.points[seat])}`),
    step.kind === "end" && DATA.places && h("span", { class: "todo place" }, ordinal(DATA.places[seat])),
  );
  item.style.width = `${place.w}px`;
  item.style.height = `${place.h}px`;
  put(item, place.x - place.w / 2, place.y - place.h / 2);
  if (hand) item.append(handOf(plan, place, step, hand, seat, open, turn));
  return item;
}

function handOf(plan, place, step, hand, seat, open, turn) {
  const cards = heldCards(hand, step.held[seat], seat);
  const legal = turn && step.asked === "play" && open ? heldCards(hand, step.legal, seat) : null;
  const inner = place.w - (plan.narrow ? 12 : 18);
  const { width, step: apart, each, height } = fan(cards.length, inner, place.cards.width);
  const list = h("ul", { class: "held", "aria-label": open ? `Cards of seat ${seat}` : `Cards of seat ${seat}: ${cards.length}, face down` });
  list.style.height = `${place.cards.height}px`;
  cards.forEach((card, i) => {
    const inLine = Math.min(each, cards.length - Math.floor(i / each) * each);
    const start = (inner - (inLine - 1) * apart - width) / 2;
    const mark = legal === null ? "" : legal.includes(card) ? "legal" : "barred";
    const held = h("li", { class: mark || null, "aria-hidden": open ? null : "true" }, drawCard(open ? card : null, width), mark === "legal" && hidden(", may be played"));
    list.append(put(held, start + (i % each) * apart, (place.cards.height - height) / 2 + Math.floor(i / each) * width * 0.95));
  });
  return list;
}

/** Lets the newest card slide from the hand it came from; `from` is where it lay. */
function slide(from) {
  const card = $("trick").querySelector(".newest");
  if (!card || !from || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const to = card.getBoundingClientRect();
  card.animate(
    [{ transform: `translate(${from.left - to.left}px, ${from.top - to.top}px) scale(${from.width / to.width})`, transformOrigin: "0 0" }, { transform: "none", transformOrigin: "0 0" }],
    { duration: 240, easing: "ease-out" },
  );
}
