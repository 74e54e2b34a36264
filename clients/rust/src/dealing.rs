//! Checks the dealing of a finished game: all that is random in it follows from its seed.
//!
//! [`verify`] works out again what a [`Record`] of a game says was drawn, dealt and turned up. The sections cited are
//! those of the rules.

use std::error::Error;
use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::cards::{Card, Suit};
use crate::views::{CutRule, Draw, Rules, Variant};

/// A game seed.
pub type Seed = [u8; 32];

/// What is known of a game that is over.
#[derive(Clone, Debug)]
pub struct Record {
    /// The game.
    pub game_id: String,
    /// What was published before the first card.
    pub commitment: Vec<u8>,
    /// What was published after the last.
    pub seed: Seed,
    /// The rules that were in force.
    pub rules: Rules,
    /// What was drawn.
    pub draw: Draw,
    /// What was dealt, hand by hand from the first; it may stop early.
    pub hands: Vec<Dealt>,
}

/// What is known of one hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dealt {
    /// Number of the hand.
    pub hand: u32,
    /// Cards for each seat.
    pub size: u32,
    /// The dealer.
    pub dealer: usize,
    /// By seat, in any order.
    pub cards: Vec<Vec<Card>>,
    /// Cards cut, 0 for a tap; `None` when there was nothing to cut.
    pub cut: Option<u32>,
    /// The card turned up; `None` when the whole pack was dealt.
    pub turned: Option<Card>,
    /// The trump; `None` for no trump.
    pub trump: Option<Suit>,
}

/// A record is not what its seed makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The section of the rules that says how it should be.
    pub rule: &'static str,
    /// What is wrong.
    pub text: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (RULES {})", self.text, self.rule)
    }
}

impl Error for Mismatch {}

/// Checks a record against its own seed.
///
/// # Errors
///
/// The first thing that is not what the seed and the rules make.
pub fn verify(record: &Record) -> Result<(), Mismatch> {
    let Record { rules, draw: drawn, .. } = record;
    let must = |holds: bool, rule, text: &dyn Fn() -> String| {
        if holds { Ok(()) } else { Err(Mismatch { rule, text: text() }) }
    };
    let committed = commitment(&record.seed, &record.game_id);
    must(record.commitment == committed, "8.1", &|| "the seed is not the one that was committed to".into())?;
    must((2..=15).contains(&rules.seats), "2.1", &|| format!("there are no tables of {} seats", rules.seats))?;
    if !rules.custom_hands {
        let right = schedule(rules.seats, rules.variant, rules.max_hand, rules.last_hand);
        must(rules.hands == right, "2", &|| format!("the schedule is {:?}, not {right:?}", rules.hands))?;
    }
    let right = draw(&record.seed, rules.seats);
    must(*drawn == right, "3", &|| format!("the draw is {drawn:?}, not {right:?}"))?;
    for ((hand, dealt), &size) in (0..).zip(&record.hands).zip(&rules.hands) {
        let here = |text: String| format!("hand {hand}: {text}");
        must(dealt.hand == hand, "2", &|| here(format!("its number is {}", dealt.hand)))?;
        must(dealt.size == size, "2", &|| here(format!("it is of {} cards, not {size}", dealt.size)))?;
        let dealer = (right.dealer + hand as usize) % rules.seats;
        must(dealt.dealer == dealer, "3.5", &|| here(format!("the dealer is {}, not {dealer}", dealt.dealer)))?;
        must(size as usize * rules.seats <= Card::COUNT, "2.4", &|| here("there are too few cards".into()))?;
        let deal = deal(&record.seed, rules.seats, hand, size, dealer);
        for (seat, right) in deal.cards.iter().enumerate() {
            let sorted = |cards: &[Card]| {
                let mut cards = cards.to_vec();
                cards.sort_unstable();
                cards
            };
            let was = dealt.cards.get(seat).map_or(&[][..], Vec::as_slice);
            must(sorted(was) == sorted(right), "4.1", &|| here(format!("seat {seat} has {was:?}, not {right:?}")))?;
        }
        let can_be = match dealt.cut {
            Some(0) => !deal.rest.is_empty(),
            Some(cut) => rules.cut != CutRule::Tap && (cut as usize) < deal.rest.len(),
            None => deal.rest.is_empty(),
        };
        must(can_be, "4.2", &|| here(format!("{:?} cards of {} cannot be cut", dealt.cut, deal.rest.len())))?;
        let turned = dealt.cut.and_then(|cut| deal.rest.get(cut as usize).copied());
        must(dealt.turned == turned, "4.3", &|| here(format!("{:?} is turned up, not {turned:?}", dealt.turned)))?;
        let trump = turned.and_then(Card::suit);
        must(dealt.trump == trump, "4.3", &|| here(format!("the trump is {:?}, not {trump:?}", dealt.trump)))?;
    }
    let (hands, right) = (record.hands.len(), rules.hands.len());
    must(hands <= right, "2", &|| format!("there are {hands} hands, not {right}"))
}

/// What is published before the first card (RULES 8.1).
#[must_use]
pub fn commitment(seed: &Seed, game_id: &str) -> [u8; 32] {
    Sha256::new().chain_update(b"bluke/1/commit").chain_update(seed).chain_update(game_id).finalize().into()
}

/// The seed of a match's games on one deal (RULES 8.2).
#[must_use]
pub fn game_seed(match_seed: &[u8], deal: u64) -> Seed {
    keyed(match_seed, &[b"bluke/1/game", &deal.to_be_bytes()])
}

/// A shuffled pack, its top first (RULES 8.3).
#[must_use]
pub fn pack(seed: &Seed, label: &[&[u8]]) -> [Card; Card::COUNT] {
    let key = keyed(seed, label);
    let mut words = (0u32..).flat_map(|block| {
        let bytes: [u8; 32] = Sha256::new().chain_update(key).chain_update(block.to_be_bytes()).finalize().into();
        std::array::from_fn::<u32, 8, _>(|i| u32::from_be_bytes([0, 1, 2, 3].map(|byte| bytes[4 * i + byte])))
    });
    let mut cards = Card::all();
    for m in (2..=54).rev() {
        let end = (1 << 32) - (1 << 32) % u64::from(m);
        let Some(word) = words.find(|&word| u64::from(word) < end) else { unreachable!("the stream has no end") };
        cards.swap(m as usize - 1, (word % m) as usize);
    }
    cards
}

/// Who deals first and who keeps the score (RULES 3).
///
/// # Panics
///
/// If there are more seats than cards.
#[must_use]
pub fn draw(seed: &Seed, seats: usize) -> Draw {
    let pack = pack(seed, &[b"bluke/1/draw"]);
    let mut left = &pack[..];
    let mut rounds = Vec::new();
    let mut draw = |drawing: &[usize]| -> Option<Vec<(usize, Card)>> {
        let (cards, rest) = left.split_at_checked(drawing.len())?;
        left = rest;
        let round: Vec<_> = drawing.iter().copied().zip(cards.iter().copied()).collect();
        rounds.push(round.clone());
        Some(round)
    };
    let everybody: Vec<usize> = (0..seats).collect();
    let first = draw(&everybody).expect("every seat draws a card");
    // The seats of a round whose card is best by `of`, redrawn until there is one.
    let mut settle = |of: fn(Card) -> i64| {
        let mut round = first.clone();
        loop {
            let best = round.iter().map(|&(_, card)| of(card)).max();
            let tied: Vec<usize> =
                round.iter().filter(|&&(_, card)| Some(of(card)) == best).map(|&(seat, _)| seat).collect();
            match tied[..] {
                [seat] => return seat,
                _ => match draw(&tied) {
                    Some(redrawn) => round = redrawn,
                    None => return tied[0],
                },
            }
        }
    };
    let dealer = settle(|card| card.rank().into());
    let scorekeeper = settle(|card| -i64::from(card.rank()));
    Draw { rounds, dealer, scorekeeper }
}

/// The cards of one hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deal {
    /// By seat, in the order dealt.
    pub cards: Vec<Vec<Card>>,
    /// What remains of the pack, its top first: a cut at `c` turns up `rest[c]`.
    pub rest: Vec<Card>,
}

/// Deals one hand of `size` cards each (RULES 4.1, 8.4).
///
/// # Panics
///
/// If there are not enough cards for that.
#[must_use]
pub fn deal(seed: &Seed, seats: usize, hand: u32, size: u32, dealer: usize) -> Deal {
    let pack = pack(seed, &[b"bluke/1/hand", &hand.to_be_bytes()]);
    let (dealt, rest) = pack.split_at(seats * size as usize);
    let mut cards = vec![Vec::new(); seats];
    for (at, &card) in dealt.iter().enumerate() {
        cards[(dealer + 1 + at) % seats].push(card);
    }
    Deal { cards, rest: rest.to_vec() }
}

/// The sizes of all hands (RULES 2, 6.4).
#[must_use]
pub fn schedule(seats: usize, variant: Variant, max_hand: Option<u32>, last_hand: Option<u32>) -> Vec<u32> {
    const STANDARD: [u32; 16] = [0, 0, 13, 13, 13, 10, 8, 7, 6, 5, 5, 4, 4, 4, 3, 3];
    let most = max_hand.unwrap_or_else(|| STANDARD.get(seats).copied().unwrap_or(0));
    if variant == Variant::NewJersey {
        (1..most).chain((1..=most).rev()).collect()
    } else {
        (1..=most).rev().chain(2..=last_hand.unwrap_or(most)).collect()
    }
}

fn keyed(key: &[u8], message: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key may have any length");
    for part in message {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}
