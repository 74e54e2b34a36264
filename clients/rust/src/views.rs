//! What a bot is shown: one view for each decision, and what it is told between them.
//!
//! Seats, hands and tricks count from 0; seat `s + 1` sits to the left of seat `s`. Lists with "one for each seat" are
//! in seat order. Enum values of a newer referee are `Other`, and an unknown trump is `None`.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::cards::{Card, Suit};

/// Which form of the game is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Hands go down to one card and up again; Blukes belong to no suit.
    Standard,
    /// Hands go up and down again; Blukes belong to the trump suit.
    NewJersey,
    /// A referee newer than this SDK plays it, here and below.
    Other,
}

/// What a led Bluke asks of the other seats; has no meaning in the New Jersey variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlukeLed {
    /// They may play anything.
    Free,
    /// A seat that holds a trump plays a trump or a Bluke.
    Trump,
    /// Something else.
    Other,
}

/// Who cuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutRule {
    /// The referee taps every time.
    Tap,
    /// The seat left of the dealer is asked.
    Player,
    /// Something else.
    Other,
}

/// What became of a bid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Fewer tricks than bid.
    Set,
    /// Made, with overtricks.
    Overtricks,
    /// Made exactly.
    Perfect,
    /// Something else.
    Other,
}

/// How faults are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// A fixed legal move is made and the fault counted.
    Lenient,
    /// The first fault ends the game.
    Strict,
    /// Something else.
    Other,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Every hand was played.
    Complete,
    /// A fault ended it.
    Forfeited,
    /// It counts for nobody.
    Void,
    /// Something else.
    Other,
}

/// What a seat did wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An answer that the rules refuse.
    Illegal,
    /// No answer in time.
    Timeout,
    /// Its stream was down.
    Disconnected,
    /// A malformed answer, or one out of turn.
    Protocol,
    /// Its own code failed.
    Crash,
    /// Something else.
    Other,
}

/// The rules of one game; they never change while it lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// 2 to 15.
    pub seats: usize,
    /// Which form of the game.
    pub variant: Variant,
    /// The size of every hand, in the order in which they are dealt.
    pub hands: Vec<u32>,
    /// What a led Bluke asks for.
    pub bluke_led: BlukeLed,
    /// Who cuts.
    pub cut: CutRule,
    /// The largest hand, where it was chosen.
    pub max_hand: Option<u32>,
    /// Where the way back up ends, where it was chosen.
    pub last_hand: Option<u32>,
    /// Whether `hands` was given as a list.
    pub custom_hands: bool,
}

/// One trick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trick {
    /// The seat that led.
    pub leader: usize,
    /// In the order played: the first by `leader`, each next one by the seat to the left.
    pub cards: Vec<Card>,
    /// The seat that took it; `None` while it is being played.
    pub winner: Option<usize>,
}

/// What the referee made of this seat's last decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastDecision {
    /// Its number.
    pub decision_id: u64,
    /// From handing the turn to the stream to reading the answer.
    pub measured: Duration,
    /// The part of that which was the referee's own lateness and was not charged.
    pub excused_time: Duration,
    /// The answer that took effect: a cut, a bid or a card's index.
    pub applied: u32,
    /// Whether the referee made that answer, after a fault.
    pub by_referee: bool,
    /// Whether it would have been late, but was not counted so.
    pub excused: bool,
}

/// All that one seat knows of its game at one moment: enough to decide without any memory.
///
/// `A` is what is to be chosen: a [`Card`] to play, or a number to bid or cut.
#[derive(Clone, Debug)]
pub struct View<A> {
    /// The game.
    pub game_id: String,
    /// This bot's seat in it.
    pub seat: usize,
    /// Number of this decision; grows within the game.
    pub decision_id: u64,
    /// Every legal answer, rising, never empty.
    pub legal: Vec<A>,
    /// The rules in force.
    pub rules: Arc<Rules>,
    /// Points before this hand, one for each seat.
    pub totals: Vec<i32>,
    /// Number of this hand.
    pub hand: u32,
    /// Cards dealt to each seat in this hand.
    pub size: u32,
    /// The dealer of this hand.
    pub dealer: usize,
    /// Its trump; `None` for no trump, and before the cut.
    pub trump: Option<Suit>,
    /// The card turned up; `None` before the cut, and when the whole pack was dealt.
    pub turned: Option<Card>,
    /// The cards that this seat still holds, in index order.
    pub cards: Vec<Card>,
    /// One for each seat; `None` for a seat that has not bid yet.
    pub bids: Vec<Option<u32>>,
    /// The tricks of this hand so far, the one being played last.
    pub tricks: Vec<Trick>,
    /// Tricks taken in this hand, one for each seat.
    pub tricks_won: Vec<u32>,
    /// What was left for this decision before the bank is drawn on, at `asked_at`; `None` when there is no clock.
    pub time_left: Option<Duration>,
    /// What was left in this seat's bank then; `None` when there is no clock.
    pub bank_left: Option<Duration>,
    /// When the question was read off the stream; the clock has been running since a little earlier.
    pub asked_at: Instant,
    /// What the referee made of this seat's last decision; `None` on the first.
    pub last: Option<LastDecision>,
    /// Whether the decision was asked before, on a stream that broke; its clock has run on.
    pub again: bool,
    pub(crate) notes: Notes,
}

/// A view with numbers of cards to cut; 0 taps.
pub type CutView = View<u32>;
/// A view with bids to make, 1 to `size`.
pub type BidView = View<u32>;
/// A view with cards to play.
pub type PlayView = View<Card>;

impl<A> View<A> {
    /// Attaches a line to this decision, for whoever reads the replay; the referee keeps the first 1024 bytes.
    pub fn note(&self, text: impl AsRef<str>) {
        self.notes.add(text.as_ref());
    }

    /// When the bank begins to be drawn on; `None` when there is no clock.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.time_left.and_then(|left| self.asked_at.checked_add(left))
    }

    /// This seat's bid, once it has bid.
    #[must_use]
    pub fn my_bid(&self) -> Option<u32> {
        self.bids[self.seat]
    }

    /// Tricks that this seat has taken in this hand.
    #[must_use]
    pub fn my_tricks(&self) -> u32 {
        self.tricks_won[self.seat]
    }

    /// Tricks that this seat still needs to make its bid; 0 once it has made it, and before it bids.
    #[must_use]
    pub fn needed(&self) -> u32 {
        self.needed_by(self.seat)
    }

    /// Tricks that `seat` still needs to make its bid; 0 once it has made it, and before it bids.
    #[must_use]
    pub fn needed_by(&self, seat: usize) -> u32 {
        self.bids[seat].unwrap_or(0).saturating_sub(self.tricks_won[seat])
    }

    /// The trick on the table; `None` when this seat is to lead, and while bidding.
    #[must_use]
    pub fn trick(&self) -> Option<&Trick> {
        self.tricks.last().filter(|trick| trick.winner.is_none() && !trick.cards.is_empty())
    }

    /// The card led to the trick on the table, if any.
    #[must_use]
    pub fn led(&self) -> Option<Card> {
        self.trick().map(|trick| trick.cards[0])
    }

    /// The seat that is taking the trick on the table and its card; `None` when this seat is to lead.
    #[must_use]
    pub fn winning(&self) -> Option<(usize, Card)> {
        let trick = self.trick()?;
        let mut best = (0, trick.cards[0]);
        for (at, &card) in trick.cards.iter().enumerate() {
            if card.beats(best.1, self.trump) {
                best = (at, card);
            }
        }
        Some(((trick.leader + best.0) % self.rules.seats, best.1))
    }

    /// The seats that play to the trick on the table after this one, in order; when leading, all others.
    #[must_use]
    pub fn seats_after(&self) -> Vec<usize> {
        // No more than there are cards, however many a referee may say there are.
        let others = self.rules.seats.min(Card::COUNT).saturating_sub(1);
        let count = others.saturating_sub(self.trick().map_or(0, |trick| trick.cards.len()));
        (1..=count).map(|i| (self.seat + i) % self.rules.seats).collect()
    }

    /// Every card of this hand whose place is known: held, turned up or played.
    pub fn seen(&self) -> impl Iterator<Item = Card> + '_ {
        let played = self.tricks.iter().flat_map(|trick| &trick.cards);
        self.cards.iter().chain(&self.turned).chain(played).copied()
    }
}

/// What a bot noted on one decision; a copy of the view notes in the same place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes(Arc<Mutex<Option<String>>>);

impl Notes {
    fn add(&self, text: &str) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *notes = Some(notes.take().map_or_else(|| text.to_owned(), |before| before + "\n" + text));
    }

    pub(crate) fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// What a bot says of itself: show it, never trust it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Its name.
    pub name: String,
    /// Its version, if it told one.
    pub version: String,
    /// The library that it speaks through, if it told one.
    pub sdk: String,
    /// Who wrote it, if it told.
    pub author: String,
}

/// Clock and policy of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How faults are treated.
    pub policy: Policy,
    /// Time for one decision before the bank is drawn on; `None` when there is no clock.
    pub decision: Option<Duration>,
    /// What each seat has for the whole game beyond that; `None` when there is no clock.
    pub bank: Option<Duration>,
    /// No decision may take longer than this, clock or not.
    pub wall: Duration,
    /// How long a bot whose stream broke may take to come back.
    pub grace: Duration,
    /// A seat with this many faults is played out by the referee (lenient only).
    pub max_faults: u32,
}

/// The draw for the first dealer and the scorekeeper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draw {
    /// Round by round: each seat that draws, and its card.
    pub rounds: Vec<Vec<(usize, Card)>>,
    /// The first dealer.
    pub dealer: usize,
    /// The scorekeeper.
    pub scorekeeper: usize,
}

/// A game begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameStarted {
    /// The game.
    pub game_id: String,
    /// This bot's seat in it.
    pub seat: usize,
    /// The match that it belongs to.
    pub match_id: String,
    /// The rules in force.
    pub rules: Arc<Rules>,
    /// Who sits where, one for each seat.
    pub players: Vec<Player>,
    /// Clock and policy.
    pub limits: Limits,
    /// What the game seed must fit: see [`dealing::commitment`](crate::dealing::commitment).
    pub commitment: Vec<u8>,
    /// Who deals first, and why.
    pub draw: Draw,
}

/// A hand was scored; every list has one entry for each seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandScored {
    /// The game.
    pub game_id: String,
    /// This bot's seat in it.
    pub seat: usize,
    /// Number of the hand.
    pub hand: u32,
    /// What was bid.
    pub bids: Vec<u32>,
    /// Tricks taken.
    pub tricks: Vec<u32>,
    /// Points won or lost in this hand.
    pub points: Vec<i32>,
    /// Points after it.
    pub totals: Vec<i32>,
    /// What became of the bids.
    pub outcomes: Vec<Outcome>,
}

/// A game is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameOver {
    /// The game.
    pub game_id: String,
    /// This bot's seat in it.
    pub seat: usize,
    /// How it ended.
    pub status: Status,
    /// Points of each seat.
    pub totals: Vec<i32>,
    /// Place of each seat, 1 the best, equal totals sharing the better one; empty for a void game.
    pub places: Vec<u32>,
    /// Faults of each seat.
    pub faults: Vec<u32>,
    /// The seats that the referee took over for good.
    pub played_out: Vec<usize>,
    /// Why it ended early, as a sentence; empty for a complete game.
    pub reason: String,
    /// `None` as long as another game on the same deal is still to be played.
    pub game_seed: Option<Vec<u8>>,
}

/// What everybody at the table can see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The game.
    pub game_id: String,
    /// Number of the hand.
    pub hand: u32,
    /// What happened.
    pub kind: EventKind,
}

/// What happened at the table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// A hand was dealt.
    HandDealt {
        /// Cards for each seat.
        size: u32,
        /// The dealer.
        dealer: usize,
        /// Cards cut, 0 for a tap; `None` when there was nothing to cut.
        cut: Option<u32>,
        /// The card turned up; `None` when the whole pack was dealt.
        turned: Option<Card>,
        /// `None` for no trump.
        trump: Option<Suit>,
    },
    /// A seat bid.
    BidMade {
        /// The seat.
        seat: usize,
        /// The bid.
        bid: u32,
    },
    /// A seat played a card.
    CardPlayed {
        /// Number of the trick.
        trick: u32,
        /// The seat.
        seat: usize,
        /// The card.
        card: Card,
    },
    /// A trick was taken.
    TrickTaken {
        /// Number of the trick.
        trick: u32,
        /// The seat that took it.
        winner: usize,
    },
    /// A seat did something wrong.
    FaultCharged {
        /// The seat.
        seat: usize,
        /// What it did.
        kind: FaultKind,
        /// Whether the referee plays the seat for the rest of the game.
        played_out: bool,
    },
}
