//! Messages of the protocol to values.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::cards::{Card, Suit};
use crate::views::{
    BlukeLed, CutRule, Draw, Event, EventKind, FaultKind, GameOver, GameStarted, HandScored, LastDecision, Limits,
    Notes, Outcome, Player, Policy, Rules, Status, Trick, Variant, View,
};

/// The messages and the stub, made from the `.proto` files.
#[allow(clippy::pedantic, missing_docs)]
pub(crate) mod v1 {
    tonic::include_proto!("bluke.v1");
}

/// A message names a card that this SDK does not know.
#[derive(Debug)]
pub(crate) struct UnknownCard(u32);

impl fmt::Display for UnknownCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the referee names card {}, which this SDK does not know; update the SDK", self.0)
    }
}

fn index(number: u32) -> usize {
    number as usize
}

fn indices(numbers: &[u32]) -> Vec<usize> {
    numbers.iter().copied().map(index).collect()
}

fn card(index: u32) -> Result<Card, UnknownCard> {
    Card::new(index).ok_or(UnknownCard(index))
}

pub(crate) fn cards(indices: &[u32]) -> Result<Vec<Card>, UnknownCard> {
    indices.iter().copied().map(card).collect()
}

fn suit(trump: v1::Trump) -> Option<Suit> {
    match trump {
        v1::Trump::Clubs => Some(Suit::Clubs),
        v1::Trump::Diamonds => Some(Suit::Diamonds),
        v1::Trump::Hearts => Some(Suit::Hearts),
        v1::Trump::Spades => Some(Suit::Spades),
        v1::Trump::None | v1::Trump::Unspecified => None,
    }
}

fn millis(time: u32) -> Duration {
    Duration::from_millis(time.into())
}

/// Reads the rules of a game.
pub(crate) fn rules(rules: &v1::Rules) -> Rules {
    Rules {
        seats: index(rules.seats),
        variant: match rules.variant() {
            v1::Variant::Standard => Variant::Standard,
            v1::Variant::NewJersey => Variant::NewJersey,
            v1::Variant::Unspecified => Variant::Other,
        },
        hands: rules.hands.clone(),
        bluke_led: match rules.bluke_led() {
            v1::BlukeLed::Free => BlukeLed::Free,
            v1::BlukeLed::Trump => BlukeLed::Trump,
            v1::BlukeLed::Unspecified => BlukeLed::Other,
        },
        cut: match rules.cut() {
            v1::CutRule::Tap => CutRule::Tap,
            v1::CutRule::Player => CutRule::Player,
            v1::CutRule::Unspecified => CutRule::Other,
        },
        max_hand: rules.max_hand,
        last_hand: rules.last_hand,
        custom_hands: rules.custom_hands,
    }
}

fn trick(trick: &v1::Trick) -> Result<Trick, UnknownCard> {
    Ok(Trick { leader: index(trick.leader), cards: cards(&trick.cards)?, winner: trick.winner.map(index) })
}

fn last(last: &v1::LastDecision) -> LastDecision {
    LastDecision {
        decision_id: last.decision_id,
        measured: Duration::from_micros(last.measured_us),
        excused_time: Duration::from_micros(last.excused_us),
        applied: last.applied,
        by_referee: last.by_referee,
        excused: last.excused,
    }
}

/// Reads the view of a turn; `legal` and `rules` are its own, read already.
pub(crate) fn view<A>(
    turn: &v1::Turn,
    legal: Vec<A>,
    rules: Arc<Rules>,
    asked_at: Instant,
) -> Result<View<A>, UnknownCard> {
    let nothing = v1::View::default();
    let view = turn.view.as_ref().unwrap_or(&nothing);
    Ok(View {
        game_id: turn.game_id.clone(),
        seat: index(turn.seat),
        decision_id: turn.decision_id,
        legal,
        rules,
        totals: view.totals.clone(),
        hand: view.hand,
        size: view.size,
        dealer: index(view.dealer),
        trump: suit(view.trump()),
        turned: view.turned.map(card).transpose()?,
        cards: cards(&view.cards)?,
        bids: view.bids.iter().map(|&bid| Some(bid).filter(|&bid| bid > 0)).collect(),
        tricks: view.tricks.iter().map(trick).collect::<Result<_, _>>()?,
        tricks_won: view.tricks_won.clone(),
        time_left: turn.decision_left_ms.map(millis),
        bank_left: turn.bank_left_ms.map(millis),
        asked_at,
        last: turn.last.as_ref().map(last),
        again: turn.again,
        notes: Notes::default(),
    })
}

/// Reads how a game begins.
pub(crate) fn game_started(message: &v1::GameStarted, rules: Arc<Rules>) -> Result<GameStarted, UnknownCard> {
    let limits = message.limits.unwrap_or_default();
    let player = |player: &v1::Player| Player {
        name: player.name.clone(),
        version: player.version.clone(),
        sdk: player.sdk.clone(),
        author: player.author.clone(),
    };
    let drawn = |drawn: &v1::DrawnCard| Ok((index(drawn.seat), card(drawn.card)?));
    let round = |round: &v1::DrawRound| round.cards.iter().map(drawn).collect();
    Ok(GameStarted {
        game_id: message.game_id.clone(),
        seat: index(message.seat),
        match_id: message.match_id.clone(),
        rules,
        players: message.players.iter().map(player).collect(),
        limits: Limits {
            policy: match limits.policy() {
                v1::Policy::Lenient => Policy::Lenient,
                v1::Policy::Strict => Policy::Strict,
                v1::Policy::Unspecified => Policy::Other,
            },
            decision: limits.decision_ms.map(millis),
            bank: limits.bank_ms.map(millis),
            wall: millis(limits.wall_ms),
            grace: millis(limits.grace_ms),
            max_faults: limits.max_faults,
        },
        commitment: message.commitment.clone(),
        draw: Draw {
            rounds: message.draw.iter().map(round).collect::<Result<_, _>>()?,
            dealer: index(message.dealer),
            scorekeeper: index(message.scorekeeper),
        },
    })
}

/// Reads how a hand ended.
pub(crate) fn hand_scored(message: v1::HandScored) -> HandScored {
    let result = message.result.unwrap_or_default();
    let outcomes = result.outcomes.iter().map(|&outcome| match v1::Outcome::try_from(outcome) {
        Ok(v1::Outcome::Set) => Outcome::Set,
        Ok(v1::Outcome::Overtricks) => Outcome::Overtricks,
        Ok(v1::Outcome::Perfect) => Outcome::Perfect,
        Ok(v1::Outcome::Unspecified) | Err(_) => Outcome::Other,
    });
    HandScored {
        game_id: message.game_id,
        seat: index(message.seat),
        hand: result.hand,
        outcomes: outcomes.collect(),
        bids: result.bids,
        tricks: result.tricks,
        points: result.points,
        totals: result.totals,
    }
}

/// Reads how a game ended.
pub(crate) fn game_over(message: v1::GameOver) -> GameOver {
    let result = message.result.unwrap_or_default();
    GameOver {
        game_id: message.game_id,
        seat: index(message.seat),
        status: match result.status() {
            v1::GameStatus::Complete => Status::Complete,
            v1::GameStatus::Forfeited => Status::Forfeited,
            v1::GameStatus::Void => Status::Void,
            v1::GameStatus::Running | v1::GameStatus::Unspecified => Status::Other,
        },
        played_out: indices(&result.played_out),
        totals: result.totals,
        places: result.places,
        faults: result.faults,
        reason: result.reason,
        game_seed: message.game_seed,
    }
}

/// Reads a public event; `None` for one that is told in another way, or that is not known here.
pub(crate) fn event(message: &v1::Event) -> Result<Option<Event>, UnknownCard> {
    use v1::event::Event as Wire;
    let (hand, kind) = match &message.event {
        Some(Wire::HandDealt(dealt)) => {
            let turned = dealt.turned.map(card).transpose()?;
            let (size, dealer, trump) = (dealt.size, index(dealt.dealer), suit(dealt.trump()));
            (dealt.hand, EventKind::HandDealt { size, dealer, cut: dealt.cut, turned, trump })
        }
        Some(Wire::BidMade(made)) => (made.hand, EventKind::BidMade { seat: index(made.seat), bid: made.bid }),
        Some(Wire::CardPlayed(played)) => {
            let (trick, seat, card) = (played.trick, index(played.seat), card(played.card)?);
            (played.hand, EventKind::CardPlayed { trick, seat, card })
        }
        Some(Wire::TrickTaken(taken)) => {
            (taken.hand, EventKind::TrickTaken { trick: taken.trick, winner: index(taken.winner) })
        }
        Some(Wire::FaultCharged(fault)) => {
            let kind = match fault.kind() {
                v1::FaultKind::Illegal => FaultKind::Illegal,
                v1::FaultKind::Timeout => FaultKind::Timeout,
                v1::FaultKind::Disconnected => FaultKind::Disconnected,
                v1::FaultKind::Protocol => FaultKind::Protocol,
                v1::FaultKind::Crash => FaultKind::Crash,
                v1::FaultKind::Unspecified => FaultKind::Other,
            };
            let (seat, played_out) = (index(fault.seat), fault.played_out);
            (fault.hand, EventKind::FaultCharged { seat, kind, played_out })
        }
        Some(Wire::HandResult(_) | Wire::GameResult(_) | Wire::GameOpened(_)) | None => return Ok(None),
    };
    Ok(Some(Event { game_id: message.game_id.clone(), hand, kind }))
}
