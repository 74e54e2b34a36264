//! Cards and suits.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

const RANKS: &[u8; 13] = b"23456789TJQKA";

/// A suit; it is shown as its letter, and `"H".parse::<Suit>()` undoes that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suit {
    /// C
    Clubs,
    /// D
    Diamonds,
    /// H
    Hearts,
    /// S
    Spades,
}

impl Suit {
    /// All suits, in the order of the cards' indices.
    pub const ALL: [Suit; 4] = [Suit::Clubs, Suit::Diamonds, Suit::Hearts, Suit::Spades];

    /// Its letter.
    #[must_use]
    pub fn letter(self) -> char {
        ['C', 'D', 'H', 'S'][self as usize]
    }
}

impl fmt::Display for Suit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

impl FromStr for Suit {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Suit::ALL.into_iter().find(|suit| suit.to_string() == text).ok_or_else(|| NotationError(text.to_owned()))
    }
}

/// One card; it is shown in its notation (`9H`, `TD`, `LO`, `HI`), and `"TD".parse::<Card>()` undoes that.
///
/// Cards compare by index, which is not their strength in a trick: ask [`Card::beats`] for that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

impl Card {
    /// The Lo Bluke.
    pub const LO: Card = Card(52);
    /// The Hi Bluke.
    pub const HI: Card = Card(53);
    /// How many cards there are.
    pub const COUNT: usize = 54;

    /// The card of an index, 0 to 53 in the order `2C … AC 2D … AD 2H … AH 2S … AS LO HI`.
    #[must_use]
    pub fn new(index: u32) -> Option<Card> {
        u8::try_from(index).ok().filter(|&index| usize::from(index) < Card::COUNT).map(Card)
    }

    /// The whole pack, in the order of the indices.
    #[must_use]
    pub fn all() -> [Card; Card::COUNT] {
        let mut cards = [Card(0); Card::COUNT];
        for (index, card) in (0u8..).zip(&mut cards) {
            card.0 = index;
        }
        cards
    }

    /// Its index, 0 to 53.
    #[must_use]
    pub fn index(self) -> u32 {
        self.0.into()
    }

    /// Its suit; `None` for a Bluke.
    #[must_use]
    pub fn suit(self) -> Option<Suit> {
        Suit::ALL.get(usize::from(self.0 / 13)).copied()
    }

    /// 0 for a two to 12 for an ace; 13 and 14 for the Lo and the Hi Bluke.
    #[must_use]
    pub fn rank(self) -> u32 {
        if self.is_bluke() { self.index() - 39 } else { self.index() % 13 }
    }

    /// Whether it is one of the two jokers.
    #[must_use]
    pub fn is_bluke(self) -> bool {
        self >= Card::LO
    }

    /// Whether this card, played later, takes a trick that `best` would take so far.
    ///
    /// `best` is the card that is winning: one of the suit led, a trump or a Bluke.
    #[must_use]
    pub fn beats(self, best: Card, trump: Option<Suit>) -> bool {
        if self.is_bluke() || best.is_bluke() || self.suit() == best.suit() {
            self > best
        } else {
            trump.is_some() && self.suit() == trump
        }
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.suit() {
            Some(suit) => write!(f, "{}{suit}", char::from(RANKS[usize::from(self.0 % 13)])),
            None => f.write_str(if *self == Card::LO { "LO" } else { "HI" }),
        }
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Card {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Card::all().into_iter().find(|card| card.to_string() == text).ok_or_else(|| NotationError(text.to_owned()))
    }
}

/// A text is no card or no suit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotationError(String);

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a card or suit: rank 2-9TJQKA and suit CDHS, such as TD, or LO or HI", self.0)
    }
}

impl Error for NotationError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_is_read_back_from_its_notation() {
        for (index, card) in (0..).zip(Card::all()) {
            assert_eq!(card.to_string().parse(), Ok(card));
            assert_eq!(Card::new(index), Some(card));
            assert_eq!(card.index(), index);
        }
        assert_eq!(Card::new(54), None);
        assert_eq!(Card::new(256), None);
    }

    #[test]
    fn the_notation_is_that_of_the_rules() {
        for (index, text) in [(0, "2C"), (12, "AC"), (13, "2D"), (21, "TD"), (51, "AS"), (52, "LO"), (53, "HI")] {
            assert_eq!(Card::new(index).unwrap().to_string(), text);
        }
        for text in ["", "10D", "td", "2", "DT", "LO ", "XX", "É"] {
            assert!(text.parse::<Card>().unwrap_err().to_string().contains("is not a card"), "{text:?}");
        }
        assert_eq!("S".parse(), Ok(Suit::Spades));
        assert!("s".parse::<Suit>().is_err());
    }

    #[test]
    fn ranks_and_suits_are_those_of_the_protocol() {
        assert_eq!((Card::LO.rank(), Card::HI.rank()), (13, 14));
        let card: Card = "KH".parse().unwrap();
        assert_eq!((card.suit(), card.rank(), card.is_bluke()), (Some(Suit::Hearts), 11, false));
        assert_eq!((Card::HI.suit(), Card::HI.is_bluke()), (None, true));
    }
}
