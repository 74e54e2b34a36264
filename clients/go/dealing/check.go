package dealing

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"bluke-arena/clients/go/bluke"
)

// Game is a finished game, as far as its dealing goes.
type Game struct {
	ID         string
	Commitment []byte // published before the first card
	Seed       []byte // told after the last one
	Rules      bluke.Rules
	Draw       [][]bluke.DrawnCard
	// Dealer dealt first; Scorekeeper keeps the score.
	Dealer, Scorekeeper int
	// Hands were dealt; a game that ended early has fewer than Rules.Hands.
	Hands []Hand
}

// Check deals the game again. The error tells the first thing that is not what the seed makes of it;
// without one every card was settled before the game began.
func (g *Game) Check() error {
	if len(g.Seed) != sha256.Size {
		return fmt.Errorf("the seed has %d bytes, not %d", len(g.Seed), sha256.Size)
	}
	if made := Commitment(g.Seed, g.ID); !slices.Equal(made[:], g.Commitment) {
		return errors.New("the seed is not the one that was committed to (RULES 8.1)")
	}
	seats := g.Rules.Seats
	if seats < 2 || seats > 15 {
		return fmt.Errorf("there are %d seats: 2 to 15 can play (RULES 2.1)", seats)
	}
	rounds, dealer, scorekeeper := Draw(g.Seed, seats)
	switch {
	case !slices.EqualFunc(rounds, g.Draw, slices.Equal[[]bluke.DrawnCard]):
		return fmt.Errorf("the draw is %v, not %v (RULES 3, 8.4)", g.Draw, rounds)
	case dealer != g.Dealer:
		return fmt.Errorf("the first dealer is %d, not %d (RULES 3.2)", g.Dealer, dealer)
	case scorekeeper != g.Scorekeeper:
		return fmt.Errorf("the scorekeeper is %d, not %d (RULES 3.3)", g.Scorekeeper, scorekeeper)
	case len(g.Hands) > len(g.Rules.Hands):
		return fmt.Errorf("%d hands were dealt, not %d", len(g.Hands), len(g.Rules.Hands))
	}
	for i := range g.Hands {
		if err := g.checkHand(i); err != nil {
			return fmt.Errorf("hand %d: %w", i, err)
		}
	}
	return nil
}

func (g *Game) checkHand(number int) error {
	hand, seats, size := &g.Hands[number], g.Rules.Seats, g.Rules.Hands[number]
	rest := bluke.Cards - seats*size
	if size < 1 || rest < 0 {
		return fmt.Errorf("%d cards for each of %d seats cannot be dealt (RULES 2.4)", size, seats)
	}
	// Without a card to cut the only cut is none.
	if hand.Cut < 0 || hand.Cut >= max(rest, 1) {
		return fmt.Errorf("a cut of %d cards cannot be made, with %d left (RULES 4.2)", hand.Cut, rest)
	}
	if g.Rules.Cut == bluke.CutTap && hand.Cut != 0 {
		return fmt.Errorf("%d cards were cut: the referee taps (RULES 4.5)", hand.Cut)
	}
	dealt := Deal(g.Seed, seats, number, size, (g.Dealer+number)%seats, hand.Cut)
	switch {
	case hand.Hand != number:
		return fmt.Errorf("its number is %d", hand.Hand)
	case hand.Size != dealt.Size:
		return fmt.Errorf("the size is %d, not %d (RULES 2)", hand.Size, dealt.Size)
	case hand.Dealer != dealt.Dealer:
		return fmt.Errorf("the dealer is %d, not %d (RULES 3.5)", hand.Dealer, dealt.Dealer)
	case hand.Turned != dealt.Turned:
		return fmt.Errorf("the card turned up is %v, not %v (RULES 4.3)", hand.Turned, dealt.Turned)
	case hand.Trump != dealt.Trump:
		return fmt.Errorf("the trump is %v, not %v (RULES 4.3)", hand.Trump, dealt.Trump)
	case len(hand.Cards) != seats:
		return fmt.Errorf("%d seats have cards, not %d", len(hand.Cards), seats)
	}
	for seat, cards := range dealt.Cards {
		if !slices.Equal(hand.Cards[seat], cards) {
			return fmt.Errorf("seat %d has the cards %v, not %v (RULES 4.1, 8.4)", seat, hand.Cards[seat], cards)
		}
	}
	return nil
}
