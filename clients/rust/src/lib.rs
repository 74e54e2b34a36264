//! The Rust SDK for bots that play in a Bluke Arena.
//!
//! A bot says how to bid and how to play:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use bluke_sdk::{BidView, Bot, Card, PlayView};
//!
//! struct Cautious;
//!
//! impl Bot for Cautious {
//!     fn bid(&mut self, _view: &BidView) -> u32 {
//!         1
//!     }
//!
//!     fn play(&mut self, view: &PlayView) -> Card {
//!         *view.legal.iter().max_by_key(|card| card.rank()).unwrap()
//!     }
//! }
//!
//! fn main() -> ExitCode {
//!     bluke_sdk::run("cautious", || Cautious)
//! }
//! ```

mod bot;
mod cards;
mod client;
pub mod dealing;
mod error;
mod guard;
mod line;
mod run;
mod settings;
mod table;
mod views;
mod wire;

#[cfg(test)]
mod tests;

use std::fmt;
use std::io::{self, Write};

pub use bot::Bot;
pub use cards::{Card, NotationError, Suit};
pub use error::Error;
pub use run::{play, run};
pub use settings::Settings;
pub use views::{
    BidView, BlukeLed, CutRule, CutView, Draw, Event, EventKind, FaultKind, GameOver, GameStarted, HandScored,
    LastDecision, Limits, Outcome, PlayView, Player, Policy, Rules, Status, Trick, Variant, View,
};

/// Tells a person; a standard error that is closed is no reason to fail, which it is to `eprintln`.
fn warn(text: fmt::Arguments<'_>) {
    if cfg!(test) {
        // The harness shows this only of a test that fails.
        eprintln!("bluke_sdk: {text}");
    } else {
        let _ = writeln!(io::stderr(), "bluke_sdk: {text}");
    }
}
