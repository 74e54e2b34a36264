package bluke

import (
	"context"
	"time"
)

// NoSeat stands where no seat is meant.
const NoSeat = -1

// Rules are the rules of one game; they never change while it lasts.
type Rules struct {
	Seats   int // 2 to 15
	Variant Variant
	// Hands is the size of every hand, in the order in which they are dealt.
	Hands    []int
	BlukeLed BlukeLed
	Cut      CutRule
	// MaxHand is the largest hand, where it was chosen; else 0.
	MaxHand int
	// LastHand is where the way back up ends, where it was chosen; else 0.
	LastHand int
	// CustomHands tells whether Hands was given as a list.
	CustomHands bool
}

// Trick is one trick.
type Trick struct {
	// Leader is the seat that led.
	Leader int
	// Cards are in the order played, the first by Leader, each next one by the seat to the left.
	Cards []Card
	// Winner is the seat that took it; NoSeat while it is being played.
	Winner int
}

// Clock is time to think: what a game gives, or what is left of it.
type Clock struct {
	// Decision is the time for one decision before the bank is drawn on.
	Decision time.Duration
	// Bank is what a seat has for the whole game beyond that.
	Bank time.Duration
}

// LastDecision is what the referee made of a seat's last decision.
type LastDecision struct {
	Decision uint64 // its number
	// Measured is the time from handing the turn to the stream to reading the answer.
	Measured time.Duration
	// ExcusedTime is the part of it that was the referee's own lateness and not charged.
	ExcusedTime time.Duration
	// Applied is the answer that took effect: a cut, a bid or a card's index.
	Applied int
	// ByReferee tells whether the referee made that answer, after a fault.
	ByReferee bool
	// Excused tells whether it would have been late, but was not counted so.
	Excused bool
}

// View is all that one seat knows of its game at one moment: enough to decide without any memory.
type View struct {
	Game     string // id of the game
	Seat     int    // the bot's own seat in it
	Decision uint64 // number of this decision; grows within the game
	Rules    *Rules
	Totals   []int // points before this hand, one for each seat
	Hand     int   // number of this hand
	Size     int   // cards dealt to each seat in this hand
	Dealer   int   // the dealer of this hand
	// Trump is NoSuit for no trump, and before the cut.
	Trump Suit
	// Turned is the card turned up; NoCard before the cut, and when the whole pack was dealt.
	Turned Card
	// Cards are those that the seat still holds, in index order.
	Cards []Card
	// Bids has one for each seat; 0 for a seat that has not bid yet.
	Bids []int
	// Tricks are those of this hand so far, the one being played last.
	Tricks []Trick
	// TricksWon are the tricks taken in this hand, one for each seat.
	TricksWon []int
	// Clock is what was left when the turn was handed over; nil without a clock.
	Clock *Clock
	// Last is nil on the seat's first decision.
	Last *LastDecision
	// Again tells that the decision was asked before, on a stream that broke; its clock has run on.
	Again bool

	ctx  context.Context
	note string
}

// CutView asks for a cut.
type CutView struct {
	View
	// Legal says how many cards may be moved from the top of the pack to its bottom; 0 taps.
	Legal []int
}

// BidView asks for a bid.
type BidView struct {
	View
	// Legal are the bids that may be made, 1 to Size.
	Legal []int
}

// PlayView asks for a card.
type PlayView struct {
	View
	// Legal are those of Cards that may be played now, in index order; never empty.
	Legal []Card
}

// Context is done when the answer can no longer count: its time is over, the seat has been asked
// something else, or the bot is to leave. Its deadline, if there is a clock, is the moment at which the
// decision's own time and the bank will both be used up.
func (v *View) Context() context.Context {
	if v.ctx == nil {
		return context.Background()
	}
	return v.ctx
}

// Note attaches a line to the decision being made, for whoever reads the replay. Several notes on one
// decision are several lines. The referee keeps the first 1024 bytes and shows them to no other seat.
func (v *View) Note(text string) {
	if v.note != "" {
		v.note += "\n"
	}
	v.note += text
}

// MyBid is this seat's bid, or 0 before it bids.
func (v *View) MyBid() int { return v.Bids[v.Seat] }

// MyTricks are the tricks that this seat has taken in this hand.
func (v *View) MyTricks() int { return v.TricksWon[v.Seat] }

// Needed are the tricks that this seat still needs to make its bid; 0 once it has made it, and before it bids.
func (v *View) Needed() int { return v.NeededBy(v.Seat) }

// NeededBy are the tricks that a seat still needs to make its bid; 0 once it has made it, and before it bids.
func (v *View) NeededBy(seat int) int { return max(0, v.Bids[seat]-v.TricksWon[seat]) }

// OnTable is the trick on the table; nil when this seat is to lead, and while bidding.
func (v *View) OnTable() *Trick {
	if len(v.Tricks) == 0 {
		return nil
	}
	trick := &v.Tricks[len(v.Tricks)-1]
	if len(trick.Cards) == 0 || trick.Winner != NoSeat {
		return nil
	}
	return trick
}

// Led is the card led to the trick on the table, or NoCard.
func (v *View) Led() Card {
	if trick := v.OnTable(); trick != nil {
		return trick.Cards[0]
	}
	return NoCard
}

// Winning is the seat that is taking the trick on the table and its card; NoSeat and NoCard when this
// seat is to lead.
func (v *View) Winning() (seat int, card Card) {
	trick := v.OnTable()
	if trick == nil {
		return NoSeat, NoCard
	}
	best := 0
	for at, card := range trick.Cards {
		if card.Beats(trick.Cards[best], v.Trump) {
			best = at
		}
	}
	return (trick.Leader + best) % v.Rules.Seats, trick.Cards[best]
}

// SeatsAfter are the seats that play to the trick on the table after this one, in order; when leading,
// all others.
func (v *View) SeatsAfter() []int {
	// No more than there are cards, however many a referee may say there are.
	count := min(v.Rules.Seats, Cards) - 1
	if trick := v.OnTable(); trick != nil {
		count -= len(trick.Cards)
	}
	seats := make([]int, max(0, count))
	for i := range seats {
		seats[i] = (v.Seat + 1 + i) % v.Rules.Seats
	}
	return seats
}

// Seen is every card of this hand whose place is known: held, turned up or played.
func (v *View) Seen() Set {
	seen := SetOf(v.Cards...)
	if v.Turned != NoCard {
		seen |= SetOf(v.Turned)
	}
	for _, trick := range v.Tricks {
		seen |= SetOf(trick.Cards...)
	}
	return seen
}
