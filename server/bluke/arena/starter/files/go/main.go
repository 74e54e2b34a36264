// A first bot: it bids its strong cards, and takes tricks while it needs them.
package main

import (
	"fmt"
	"slices"

	"bluke-arena/clients/go/bluke"
)

//go:generate go -C bluke-arena/clients/go generate ./bluke

// One is made for each seat in each game: what it keeps in its fields is the memory of one seat.
type starter struct{ bluke.Base }

// Bid counts Blukes, aces, and trumps from the ten up. The bids before yours, view.Bids, could say more.
func (starter) Bid(view *bluke.BidView) int {
	strong := 0
	for _, card := range view.Cards {
		if card.Rank() >= 12 || card.Rank() >= 8 && card.Suit() == view.Trump {
			strong++
		}
	}
	view.Note(fmt.Sprintf("strong: %d", strong)) // notes are shown in the replay
	return max(1, strong)
}

// Play wins if a trick is needed, else throws the weakest card. It forgets what was played: view.Tricks has it.
func (starter) Play(view *bluke.PlayView) bluke.Card {
	strength := func(card bluke.Card) int {
		if card.IsBluke() || card.Suit() == view.Trump {
			return card.Rank() + 13
		}
		return card.Rank()
	}
	cards := slices.Clone(view.Legal)
	slices.SortStableFunc(cards, func(a, b bluke.Card) int { return strength(a) - strength(b) })
	_, best := view.Winning()
	loses := func(card bluke.Card) bool { return best != bluke.NoCard && !card.Beats(best, view.Trump) }
	winners := slices.DeleteFunc(slices.Clone(cards), loses)
	if view.Needed() == 0 || len(winners) == 0 {
		return cards[0]
	}
	if len(view.SeatsAfter()) == 0 {
		return winners[0]
	}
	return winners[len(winners)-1]
}

func main() {
	bluke.Run(func() bluke.Bot { return starter{} }, bluke.Options{Name: "@name@"})
}
