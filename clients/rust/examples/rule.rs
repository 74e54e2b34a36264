//! Plays by two numbers for each card: the chance that it takes this trick, and that it takes a later one.
//!
//! Whole numbers only, in thousandths and rounded down; it is a pure function of the view. The chances come from
//! counting: a card that this seat has not seen is as likely to be in one place as in any other.

#![allow(clippy::cast_possible_wrap, reason = "there are 15 seats and 54 cards")]

use std::process::ExitCode;

use bluke_sdk::{BidView, Bot, Card, PlayView, Suit, View};

const SURE: i64 = 1000;
/// The least that a trump is worth, the two and each rank above it: it may ruff, or be left over in the end.
const TRUMP_WORTH: i64 = 300;
const TRUMP_STEP: i64 = 40;
/// Added to the worth of a hand before it is rounded down to a bid, for tricks that low cards take.
const LUCK: i64 = 400;

const PACK: u64 = (1 << 54) - 1;
const BLUKES: u64 = 3 << 52;

/// The chance that `drawn` cards out of `hidden` hold none of the `marked` ones, in thousandths.
fn miss(marked: i64, drawn: i64, hidden: i64) -> i64 {
    let mut chance = 1_000_000;
    for i in 0..marked {
        let left = hidden - drawn - i;
        if left <= 0 {
            return 0;
        }
        chance = chance * left / (hidden - i);
    }
    chance / 1000
}

fn count(cards: u64) -> i64 {
    cards.count_ones().into()
}

/// What one seat makes of the cards that it cannot see.
struct Sight {
    /// The cards that are neither held nor turned up nor played, as bits by index, and how many they are.
    hidden: u64,
    count: i64,
    trump: Option<Suit>,
    /// Number of the other seats.
    others: usize,
}

impl Sight {
    fn new<A>(view: &View<A>) -> Self {
        let hidden = view.seen().fold(PACK, |hidden, card| hidden & !(1 << card.index()));
        Sight { hidden, count: count(hidden), trump: view.trump, others: view.rules.seats - 1 }
    }

    /// How many hidden cards are of a suit; the Blukes are one of their own.
    fn of_suit(&self, suit: Option<Suit>) -> i64 {
        count(suit.map_or(self.hidden & BLUKES, |suit| self.hidden >> (13 * suit as u32) & 0x1FFF))
    }

    /// How many hidden cards beat `card` in a trick of its own suit, but for ruffs.
    fn above(&self, card: Card) -> i64 {
        let higher = PACK & !((2 << card.index()) - 1);
        let own = card.suit().map_or(BLUKES, |suit| 0x1FFF << (13 * suit as u32) | BLUKES);
        count(self.hidden & higher & own)
    }

    /// The chance that none of `seats` seats with `held` cards each will beat `card`, in thousandths.
    ///
    /// `card` is winning the trick, and `led` is the suit led.
    fn stands(&self, card: Card, led: Option<Suit>, seats: usize, held: usize) -> i64 {
        let (suit, above, held) = (card.suit(), self.above(card), held as i64);
        if suit.is_none() || (suit == self.trump && suit == led) {
            return miss(above, seats as i64 * held, self.count);
        }
        // A seat that has none of the suit led may ruff; of a trump, only such a seat may play a better one.
        let void = miss(self.of_suit(led), held, self.count);
        let mut one = miss(above, held, self.count);
        if suit == self.trump {
            one = SURE - void * (SURE - one) / SURE;
        } else if self.trump.is_some() {
            let trumps = miss(self.of_suit(self.trump), held, self.count - self.of_suit(led));
            one = (one - void * (SURE - trumps) / SURE).max(0);
        }
        (0..seats).fold(SURE, |chance, _| chance * one / SURE)
    }

    /// The chance that `card` takes a trick when every other seat holds `held` cards, in thousandths.
    fn worth(&self, card: Card, held: usize) -> i64 {
        let chance = self.stands(card, card.suit(), self.others, held);
        if card.suit().is_some() && card.suit() == self.trump {
            chance.max(TRUMP_WORTH + TRUMP_STEP * i64::from(card.rank()))
        } else {
            chance
        }
    }
}

/// Bids what its cards are worth, and spends the card that gives most for what it would be worth later.
struct Rule;

impl Bot for Rule {
    fn bid(&mut self, view: &BidView) -> u32 {
        let sight = Sight::new(view);
        let worth: i64 = view.cards.iter().map(|&card| sight.worth(card, view.size as usize)).sum();
        u32::try_from((worth + LUCK) / SURE).map_or(1, |bid| bid.clamp(1, view.size))
    }

    /// Chooses the card whose chance now exceeds its worth later by most; the weaker one of equals.
    ///
    /// So the last seat to play takes a trick with its cheapest winner, and where nothing can win the least useful card
    /// goes. A seat that leads and needs no trick lets go of its least useful card too: what is strong is kept to stop
    /// others.
    fn play(&mut self, view: &PlayView) -> Card {
        if let [only] = view.legal[..] {
            return only;
        }
        let sight = Sight::new(view);
        let (held, after) = (view.cards.len(), view.seats_after().len());
        let (led, winning) = (view.led(), view.winning());
        let idle = led.is_none() && !(1..=held).contains(&(view.needed() as usize));
        let gain = |card: Card| {
            let wins = winning.is_none_or(|(_, best)| card.beats(best, view.trump));
            let now = if idle || !wins { 0 } else { sight.stands(card, led.unwrap_or(card).suit(), after, held) };
            now - sight.worth(card, held - 1)
        };
        // The last of the largest is the weakest.
        let mut cards = view.legal.clone();
        cards.sort_unstable_by_key(|card| (card.rank(), card.index()));
        cards.into_iter().rev().max_by_key(|&card| gain(card)).expect("there is a legal card")
    }
}

fn main() -> ExitCode {
    bluke_sdk::run("rule", || Rule)
}
