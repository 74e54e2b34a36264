//! What a bot is.

use crate::cards::Card;
use crate::views::{BidView, CutView, Event, GameOver, GameStarted, HandScored, PlayView};

/// A bot: write `bid` and `play`, and pass what makes it to [`run`](crate::run).
///
/// One is made for each seat in each game, so what it keeps in itself belongs to one seat. A view holds all there is
/// to know, so a bot need not remember anything. One that does should expect to begin in the middle of a game: a bot
/// that was started again takes its seats back.
///
/// A bot that cannot go on panics: the decision is charged as a crash, and the next one is asked of the same bot.
pub trait Bot {
    /// Says how many tricks to contract for: one of `view.legal`.
    fn bid(&mut self, view: &BidView) -> u32;

    /// Chooses a card out of `view.legal`.
    fn play(&mut self, view: &PlayView) -> Card;

    /// Says how many cards to move from the top of the pack to its bottom; asked only if the rules want it.
    fn cut(&mut self, view: &CutView) -> u32 {
        let _ = view;
        0
    }

    /// Hears that a game begins in which this bot has a seat.
    fn game_started(&mut self, game: &GameStarted) {
        let _ = game;
    }

    /// Hears how a hand ended.
    fn hand_scored(&mut self, hand: &HandScored) {
        let _ = hand;
    }

    /// Hears how the game ended; the bot is dropped afterwards.
    fn game_over(&mut self, game: &GameOver) {
        let _ = game;
    }

    /// Hears of a public event as it happens; only with [`Settings::events`](crate::Settings::events).
    fn event(&mut self, event: &Event) {
        let _ = event;
    }
}
