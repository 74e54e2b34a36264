package main

import (
	"strings"
	"testing"

	"bluke-arena/clients/go/bluke"
)

func cards(t *testing.T, text string) []bluke.Card {
	t.Helper()
	var read []bluke.Card
	for _, word := range strings.Fields(text) {
		card, err := bluke.ParseCard(word)
		if err != nil {
			t.Fatal(err)
		}
		read = append(read, card)
	}
	return read
}

// Chances are in thousandths and rounded down, and there is none where too few cards are left.
func TestMiss(t *testing.T) {
	for _, c := range []struct{ marked, drawn, hidden, chance int }{
		{0, 5, 40, 1000},
		{0, 5, 0, 1000},
		{1, 10, 40, 750},
		{2, 10, 40, 557}, // 30/40 * 29/39
		{3, 38, 40, 0},
		{1, 0, 40, 1000},
	} {
		if chance := miss(c.marked, c.drawn, c.hidden); chance != c.chance {
			t.Errorf("%+v: %d", c, chance)
		}
	}
}

// view is one of three seats, of which this one is seat 0 and deals.
func view(t *testing.T, held, turned string) bluke.View {
	t.Helper()
	up := cards(t, turned)[0]
	hand := cards(t, held)
	return bluke.View{
		Rules: &bluke.Rules{Seats: 3}, Size: len(hand), Cards: hand, Turned: up, Trump: up.Suit(),
		Bids: []int{1, 1, 1}, TricksWon: []int{0, 0, 0},
	}
}

// A hand is worth the chances of its cards and a little luck, but a bid is never less than one.
func TestBid(t *testing.T) {
	for _, c := range []struct {
		held, turned string
		bid          int
	}{
		{"2C 3C 4D 2H 3S", "9H", 1},
		{"LO HI", "2D", 2},
		{"KS AS LO HI", "2S", 4},
		{"2C", "HI", 1},
		{"AC AD AH AS", "HI", 3}, // only LO beats an ace: 45/49 for a seat, 842 for both, four times and 400
	} {
		if bid := (rule{}).Bid(&bluke.BidView{View: view(t, c.held, c.turned)}); bid != c.bid {
			t.Errorf("%s with %s turned up: %d, not %d", c.held, c.turned, bid, c.bid)
		}
	}
}

// The last seat takes a trick with its cheapest winner, and lets the least useful card go where it cannot.
func TestPlay(t *testing.T) {
	for _, c := range []struct {
		held, table, legal, play string
		bid, taken               int
	}{
		{"9D QD AD LO", "5D TD", "9D QD AD LO", "QD", 2, 0},
		{"3D 9D", "5D TD", "3D 9D", "3D", 1, 0},
		{"3D 9C", "", "3D 9C", "9C", 1, 1}, // nothing is needed: the ninth may take one later, the trump is kept
		{"7S", "5D TD", "7S", "7S", 1, 0},
	} {
		asked := &bluke.PlayView{View: view(t, c.held, "2D"), Legal: cards(t, c.legal)}
		asked.Bids[0], asked.TricksWon[0] = c.bid, c.taken
		asked.Tricks = []bluke.Trick{{Leader: 1, Cards: cards(t, c.table), Winner: bluke.NoSeat}}
		if card := (rule{}).Play(asked); card.String() != c.play {
			t.Errorf("%+v: %v", c, card)
		}
	}
}
