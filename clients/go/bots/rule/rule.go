package main

import (
	"cmp"
	"slices"

	"bluke-arena/clients/go/bluke"
)

// Chances are whole numbers in thousandths, rounded down, so that the bot is the same in any language.
const (
	sure = 1000
	// The least that a trump is worth, the two and each rank above it: it may ruff, or be left over in the end.
	trumpWorth, trumpStep = 300, 40
	// luck is added to the worth of a hand before it is rounded down to a bid, for tricks that low cards take.
	luck = 400
)

var (
	blukes = bluke.SetOf(bluke.Lo, bluke.Hi)
	pack   = bluke.Set(1)<<bluke.Cards - 1
)

// rule plays by two numbers for each card: the chance that it takes this trick, and that it takes a
// later one. The chances come from counting: a card that this seat has not seen is as likely to be in
// one place as in any other. It is a pure function of the view.
type rule struct{ bluke.Base }

// Bid adds up what the cards are worth.
func (rule) Bid(view *bluke.BidView) int {
	sight := look(&view.View)
	worth := luck
	for _, card := range view.Cards {
		worth += sight.worth(card, view.Size)
	}
	return min(max(worth/sure, 1), view.Size)
}

// Play chooses the card whose chance now exceeds its worth later by most; the weaker one of equals.
//
// So the last seat to play takes a trick with its cheapest winner, and where nothing can win the least
// useful card goes. A seat that leads and needs no trick lets go of its least useful card too: what is
// strong is kept to stop others.
func (rule) Play(view *bluke.PlayView) bluke.Card {
	if len(view.Legal) == 1 {
		return view.Legal[0]
	}
	sight := look(&view.View)
	held, after, led := len(view.Cards), len(view.SeatsAfter()), view.Led()
	_, winning := view.Winning()
	leads := led == bluke.NoCard
	idle := leads && (view.Needed() == 0 || view.Needed() > held)
	weakestFirst := slices.SortedFunc(slices.Values(view.Legal), func(a, b bluke.Card) int {
		return cmp.Or(cmp.Compare(a.Rank(), b.Rank()), cmp.Compare(a, b))
	})
	best, bestGain := view.Legal[0], -sure-1
	for _, card := range weakestFirst {
		suit, now := led.Suit(), 0
		if leads {
			suit = card.Suit()
		}
		if !idle && (leads || card.Beats(winning, view.Trump)) {
			now = sight.stands(card, suit, after, held)
		}
		if gain := now - sight.worth(card, held-1); gain > bestGain {
			best, bestGain = card, gain
		}
	}
	return best
}

// sight is what one seat makes of the cards that it cannot see.
type sight struct {
	hidden bluke.Set // neither held nor turned up nor played
	trump  bluke.Suit
	others int // the other seats
}

func look(view *bluke.View) sight {
	return sight{hidden: pack &^ view.Seen(), trump: view.Trump, others: view.Rules.Seats - 1}
}

// ofSuit is how many hidden cards are of a suit; of NoSuit those are the Blukes.
func (s sight) ofSuit(suit bluke.Suit) int {
	if suit == bluke.NoSuit {
		return (s.hidden & blukes).Len()
	}
	return (s.hidden >> (13 * (suit - bluke.Clubs)) & 0x1FFF).Len()
}

// above is how many hidden cards beat card in a trick of its own suit, but for ruffs.
func (s sight) above(card bluke.Card) int {
	if card.IsBluke() {
		return (s.hidden >> (card + 1)).Len()
	}
	end := card - card%13 + 13
	higher := bluke.Set(1)<<end - bluke.Set(2)<<card
	return (s.hidden & (higher | blukes)).Len()
}

// stands is the chance that none of seats seats, still to play and with held cards each, will beat card,
// which is winning a trick to which suit led was led.
func (s sight) stands(card bluke.Card, led bluke.Suit, seats, held int) int {
	suit, hidden, above := card.Suit(), s.hidden.Len(), s.above(card)
	isTrump := suit == s.trump
	if suit == bluke.NoSuit || isTrump && led == suit {
		return miss(above, seats*held, hidden)
	}
	// A seat that has none of the suit led may ruff; of a trump, only such a seat may play a better one.
	void := miss(s.ofSuit(led), held, hidden)
	one := miss(above, held, hidden)
	if isTrump {
		one = sure - void*(sure-one)/sure
	} else if s.trump != bluke.NoSuit {
		trumps := miss(s.ofSuit(s.trump), held, hidden-s.ofSuit(led))
		one = max(0, one-void*(sure-trumps)/sure)
	}
	chance := sure
	for range seats {
		chance = chance * one / sure
	}
	return chance
}

// worth is the chance that card takes a trick when every other seat holds held cards.
func (s sight) worth(card bluke.Card, held int) int {
	chance := s.stands(card, card.Suit(), s.others, held)
	if card.Suit() == s.trump && !card.IsBluke() {
		return max(chance, trumpWorth+trumpStep*card.Rank())
	}
	return chance
}

// miss is the chance that drawn cards out of hidden hold none of the marked ones.
func miss(marked, drawn, hidden int) int {
	chance := 1_000_000
	for i := range marked {
		left := hidden - drawn - i
		if left <= 0 {
			return 0
		}
		chance = chance * left / (hidden - i)
	}
	return chance / 1000
}
