package bluke

import (
	"encoding/json"
	"testing"
)

// The notation of every card is that of its index, and parsing undoes it.
func TestNotation(t *testing.T) {
	for text, index := range map[string]Card{
		"2C": 0, "AC": 12, "2D": 13, "9D": 20, "TH": 34, "2S": 39, "AS": 51, "LO": 52, "HI": 53,
	} {
		if card, err := ParseCard(text); err != nil || card != index {
			t.Errorf("%s is %d, %v, not %d", text, card, err, index)
		}
	}
	seen := map[string]bool{}
	for card := range Card(Cards) {
		text := card.String()
		if back, err := ParseCard(text); err != nil || back != card || seen[text] {
			t.Errorf("%d is %s, which is %d, %v", card, text, back, err)
		}
		seen[text] = true
	}
}

// What is no card is refused.
func TestNoCard(t *testing.T) {
	for _, text := range []string{"", "2", "C2", "1C", "10C", "2c", "lo", "2C ", "--", "2\u00c7"} {
		if card, err := ParseCard(text); err == nil {
			t.Errorf("%q was taken for %v", text, card)
		}
	}
	if NoCard.String() != "--" || NoCard.IsBluke() || SetOf(NoCard) != 0 {
		t.Error("NoCard is taken for a card")
	}
}

// A suit is known by its letter.
func TestSuits(t *testing.T) {
	for suit, letter := range map[Suit]string{Clubs: "C", Diamonds: "D", Hearts: "H", Spades: "S"} {
		if back, err := ParseSuit(letter); err != nil || back != suit || suit.String() != letter {
			t.Errorf("%v is %s, which is %v, %v", suit, letter, back, err)
		}
	}
	for _, text := range []string{"", "-", "CD", "c"} {
		if suit, err := ParseSuit(text); err == nil {
			t.Errorf("%q was taken for %v", text, suit)
		}
	}
}

// In JSON a card is its notation, alone and in a list.
func TestCardsInJSON(t *testing.T) {
	text, err := json.Marshal([]Card{0, Hi})
	if err != nil || string(text) != `["2C","HI"]` {
		t.Fatalf("%s, %v", text, err)
	}
	var cards []Card
	if err := json.Unmarshal(text, &cards); err != nil || len(cards) != 2 || cards[1] != Hi {
		t.Fatal(cards, err)
	}
	if json.Unmarshal([]byte(`["XX"]`), &cards) == nil {
		t.Error("XX was taken for a card")
	}
}

// RULES 1.4 orders the cards of a trick.
func TestBeats(t *testing.T) {
	for _, c := range []struct {
		card, best string
		trump      Suit
		beats      bool
	}{
		{"HI", "LO", NoSuit, true},
		{"LO", "HI", NoSuit, false},
		{"LO", "AH", Hearts, true},
		{"AH", "LO", Hearts, false},
		{"2H", "AC", Hearts, true},
		{"AC", "2H", Hearts, false},
		{"9C", "8C", Hearts, true},
		{"8C", "9C", NoSuit, false},
		{"AD", "2C", Hearts, false},
		{"AD", "2C", NoSuit, false},
		{"3H", "2H", Hearts, true},
	} {
		card, _ := ParseCard(c.card)
		best, _ := ParseCard(c.best)
		if card.Beats(best, c.trump) != c.beats {
			t.Errorf("%v beats %v with trump %v: not %v", card, best, c.trump, c.beats)
		}
	}
}

// An enum value of a newer referee has a name that tells its number.
func TestUnknownEnums(t *testing.T) {
	for got, want := range map[string]string{
		Standard.String(): "standard", NewJersey.String(): "new_jersey", Variant(9).String(): "variant(9)",
		LedTrump.String(): "trump", CutPlayer.String(): "player", Perfect.String(): "P", Strict.String(): "strict",
		Void.String(): "void", Crash.String(): "crash", FaultKind(0).String(): "fault(0)", Spades.String(): "S",
	} {
		if got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}
