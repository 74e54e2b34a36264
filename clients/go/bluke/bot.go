package bluke

import "time"

// Bot decides for one seat of one game. Embed Base and write Bid and Play.
//
// One is made for each seat in each game, so what it keeps belongs to one seat. Its methods never
// overlap, but those of other seats run at the same time, in goroutines of their own: what bots share
// they must guard. A view holds all there is to know, so a bot need not remember anything. One that
// does should expect to begin in the middle of a game: a bot that was started again takes its seats back.
//
// A method that panics, or returns a negative number, is shown on standard error and reported to the
// referee, which charges a fault; the bot lives on, and the next decision is asked as ever.
type Bot interface {
	// Bid says how many tricks to contract for: one of view.Legal.
	Bid(view *BidView) int
	// Play chooses a card out of view.Legal.
	Play(view *PlayView) Card
	// Cut says how many cards to move from the top of the pack to its bottom; asked only if the rules want it.
	Cut(view *CutView) int
	// GameStarted hears that a game begins in which this bot has a seat.
	GameStarted(game *GameStarted)
	// HandScored hears how a hand ended.
	HandScored(hand *HandScored)
	// GameOver hears how the game ended; the bot is not used again.
	GameOver(game *GameOver)
	// Event hears of a public event as it happens; only with Options.Events.
	Event(event Event)

	base()
}

// Base is what every bot embeds: it taps, and hears nothing.
type Base struct{}

// Cut taps.
func (Base) Cut(*CutView) int { return 0 }

// GameStarted does nothing.
func (Base) GameStarted(*GameStarted) {}

// HandScored does nothing.
func (Base) HandScored(*HandScored) {}

// GameOver does nothing.
func (Base) GameOver(*GameOver) {}

// Event does nothing.
func (Base) Event(Event) {}

func (Base) base() {}

// Player is what a bot says of itself: show it, never trust it.
type Player struct{ Name, Version, SDK, Author string }

// Limits are the clock and the policy of one game.
type Limits struct {
	Policy Policy
	// Clock is nil when there is none.
	Clock *Clock
	// Wall is what no decision may exceed, clock or not.
	Wall time.Duration
	// Grace is how long a bot whose stream broke may take to come back.
	Grace time.Duration
	// MaxFaults is how many faults make the referee play a seat out (lenient only).
	MaxFaults int
}

// DrawnCard is one card drawn for the deal.
type DrawnCard struct {
	Seat int
	Card Card
}

// GameStarted tells that a game begins.
type GameStarted struct {
	Game    string
	Seat    int
	Match   string
	Rules   *Rules
	Players []Player // one for each seat
	Limits  Limits
	// Commitment is what GameOver.Seed must fit; package dealing checks it.
	Commitment []byte
	// Draw is the draw for the first dealer and the scorekeeper, round by round.
	Draw        [][]DrawnCard
	Dealer      int
	Scorekeeper int
}

// HandScored tells how a hand ended; every slice has one entry for each seat.
type HandScored struct {
	Game     string
	Seat     int
	Hand     int
	Bids     []int
	Tricks   []int
	Points   []int // won or lost in this hand
	Totals   []int // after it
	Outcomes []Outcome
}

// GameOver tells how a game ended.
type GameOver struct {
	Game   string
	Seat   int
	Status Status
	Totals []int
	// Places has 1 for the best, and equal totals share the better place; empty for a void game.
	Places    []int
	Faults    []int // of each seat
	PlayedOut []int // the seats that the referee took over for good
	// Reason says why it ended early, as a sentence; empty for a complete game.
	Reason string
	// Seed is nil as long as another game on the same deal is still to be played.
	Seed []byte
}

// Event is what everybody at the table can see: HandDealt, BidMade, CardPlayed, TrickTaken or FaultCharged.
type Event interface{ event() }

// HandDealt is public: a hand was dealt and a card turned up.
type HandDealt struct {
	Game               string
	Hand, Size, Dealer int
	// Cut is how many cards were cut, 0 for a tap and when there was nothing to cut.
	Cut int
	// Turned is NoCard when the whole pack was dealt.
	Turned Card
	Trump  Suit
}

// BidMade is public: a seat bid.
type BidMade struct {
	Game            string
	Hand, Seat, Bid int
}

// CardPlayed is public: a seat played a card.
type CardPlayed struct {
	Game              string
	Hand, Trick, Seat int
	Card              Card
}

// TrickTaken is public: a trick was taken.
type TrickTaken struct {
	Game                string
	Hand, Trick, Winner int
}

// FaultCharged is public: a seat did something wrong.
type FaultCharged struct {
	Game       string
	Hand, Seat int
	Kind       FaultKind
	PlayedOut  bool
}

func (HandDealt) event()    {}
func (BidMade) event()      {}
func (CardPlayed) event()   {}
func (TrickTaken) event()   {}
func (FaultCharged) event() {}
