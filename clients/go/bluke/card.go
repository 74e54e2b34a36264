package bluke

import (
	"fmt"
	"math/bits"
	"strings"
)

// Suit is one of the four suits, or none.
type Suit uint8

// The suits in the order of card indices. A Bluke has none, and neither has a hand without trump.
const (
	NoSuit Suit = iota
	Clubs
	Diamonds
	Hearts
	Spades
)

const (
	suitLetters = "-CDHS"
	rankLetters = "23456789TJQKA"
)

// String is the letter of the suit: C, D, H or S.
func (s Suit) String() string {
	if int(s) >= len(suitLetters) {
		return fmt.Sprintf("Suit(%d)", uint8(s))
	}
	return suitLetters[s : s+1]
}

// ParseSuit reads the letter of a suit.
func ParseSuit(text string) (Suit, error) {
	if at := strings.Index(suitLetters[1:], text); at >= 0 && len(text) == 1 {
		return Clubs + Suit(at), nil
	}
	return NoSuit, fmt.Errorf("%q is not a suit: C, D, H or S", text)
}

// Card is one card, as its index: 0 to 53 in the order 2C … AC 2D … AD 2H … AH 2S … AS LO HI. Cards
// compare by index, which is not their strength in a trick: ask Beats for that.
type Card uint8

// The two jokers, and what stands where there is no card.
const (
	Lo     Card = 52
	Hi     Card = 53
	NoCard Card = 255
)

// Cards is the number of different cards; every Card below it is one.
const Cards = 54

// ParseCard reads the notation of one card, such as 9H, TD, LO or HI.
func ParseCard(text string) (Card, error) {
	switch text {
	case "LO":
		return Lo, nil
	case "HI":
		return Hi, nil
	}
	if len(text) == 2 {
		rank, suit := strings.IndexByte(rankLetters, text[0]), strings.IndexByte(suitLetters[1:], text[1])
		if rank >= 0 && suit >= 0 {
			return Card(13*suit + rank), nil
		}
	}
	return NoCard, fmt.Errorf("%q is not a card: rank 2-9TJQKA and suit CDHS, such as TD, or LO or HI", text)
}

// String is the notation of the card, which ParseCard undoes.
func (c Card) String() string {
	switch {
	case c == Lo:
		return "LO"
	case c == Hi:
		return "HI"
	case c > Hi:
		return "--"
	}
	return rankLetters[c%13:c%13+1] + c.Suit().String()
}

// MarshalText writes the notation, in JSON for one.
func (c Card) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what ParseCard reads.
func (c *Card) UnmarshalText(text []byte) (err error) {
	*c, err = ParseCard(string(text))
	return err
}

// Suit is the suit of the card: NoSuit for a Bluke.
func (c Card) Suit() Suit {
	if c >= Lo {
		return NoSuit
	}
	return Suit(c/13) + Clubs
}

// Rank is 0 for a two to 12 for an ace, and 13 and 14 for the Lo and the Hi Bluke.
func (c Card) Rank() int {
	if c >= Lo {
		return 13 + int(c-Lo)
	}
	return int(c % 13)
}

// IsBluke tells whether the card is one of the two jokers.
func (c Card) IsBluke() bool { return c == Lo || c == Hi }

// Beats tells whether the card, played later, takes a trick that best would take so far: best is of the
// suit led, a trump or a Bluke.
func (c Card) Beats(best Card, trump Suit) bool {
	switch {
	case c >= Lo || best >= Lo:
		return c > best
	case c.Suit() == best.Suit():
		return c > best
	}
	return c.Suit() == trump
}

// Set is a set of cards, with bit i for the card of index i.
type Set uint64

// SetOf makes a set.
func SetOf(cards ...Card) Set {
	var set Set
	for _, card := range cards {
		set |= 1 << card
	}
	return set
}

// Has tells whether a card is in the set.
func (s Set) Has(card Card) bool { return s&(1<<card) != 0 }

// Len is the number of cards in the set.
func (s Set) Len() int { return bits.OnesCount64(uint64(s)) }
