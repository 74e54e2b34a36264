//! A first bot: it bids its strong cards, and takes tricks while it needs them.

use std::process::ExitCode;

use bluke_sdk::{BidView, Bot, Card, PlayView};

/// One is made for each seat in each game: what it keeps in its fields is the memory of one seat.
struct Starter;

impl Bot for Starter {
    /// Counts Blukes, aces, and trumps from the ten up. The bids before yours, `view.bids`, could say more.
    fn bid(&mut self, view: &BidView) -> u32 {
        let is_strong = |card: &&Card| card.rank() >= if card.suit() == view.trump { 8 } else { 12 };
        let strong = view.cards.iter().filter(is_strong).count() as u32;
        view.note(format!("strong: {strong}")); // notes are shown in the replay
        strong.max(1)
    }

    /// Wins if a trick is needed, else throws the weakest card. It forgets what was played: `view.tricks` has it.
    fn play(&mut self, view: &PlayView) -> Card {
        let mut cards = view.legal.clone();
        cards.sort_by_key(|card| (card.is_bluke(), card.suit() == view.trump, card.rank()));
        let wins = |card: &&Card| view.winning().is_none_or(|(_, best)| card.beats(best, view.trump));
        let mut winners = cards.iter().filter(wins);
        let winner = if view.seats_after().is_empty() { winners.next() } else { winners.next_back() };
        if view.needed() > 0 { *winner.unwrap_or(&cards[0]) } else { cards[0] }
    }
}

fn main() -> ExitCode {
    bluke_sdk::run("@name@", || Starter)
}
