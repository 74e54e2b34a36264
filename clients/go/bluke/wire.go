package bluke

import (
	"fmt"
	"time"

	pb "bluke-arena/clients/go/gen/bluke/v1"
)

// reader makes values of protocol messages. It keeps the first card that it does not know, since one
// such card makes the whole message worthless to a bot.
type reader struct{ err error }

func (r *reader) card(index uint32) Card {
	if index >= Cards {
		if r.err == nil {
			r.err = fmt.Errorf("the referee names a card that this SDK does not know, %d: update the SDK", index)
		}
		return NoCard
	}
	return Card(index)
}

func (r *reader) cards(indices []uint32) []Card {
	cards := make([]Card, len(indices))
	for i, index := range indices {
		cards[i] = r.card(index)
	}
	return cards
}

func (r *reader) turned(index *uint32) Card {
	if index == nil {
		return NoCard
	}
	return r.card(*index)
}

func (r *reader) trick(trick *pb.Trick) Trick {
	read := Trick{Leader: int(trick.GetLeader()), Cards: r.cards(trick.GetCards()), Winner: NoSeat}
	if trick.Winner != nil {
		read.Winner = int(trick.GetWinner())
	}
	return read
}

func (r *reader) view(turn *pb.Turn, rules *Rules) View {
	view := turn.GetView()
	if view == nil {
		view = &pb.View{}
	}
	tricks := make([]Trick, len(view.Tricks))
	for i, trick := range view.Tricks {
		tricks[i] = r.trick(trick)
	}
	return View{
		Game:      turn.GetGameId(),
		Seat:      int(turn.GetSeat()),
		Decision:  turn.GetDecisionId(),
		Rules:     rules,
		Totals:    ints(view.Totals),
		Hand:      int(view.GetHand()),
		Size:      int(view.GetSize()),
		Dealer:    int(view.GetDealer()),
		Trump:     readTrump(view.GetTrump()),
		Turned:    r.turned(view.Turned),
		Cards:     r.cards(view.Cards),
		Bids:      ints(view.Bids),
		Tricks:    tricks,
		TricksWon: ints(view.TricksWon),
		Clock:     readClock(turn.DecisionLeftMs, turn.BankLeftMs),
		Last:      readLast(turn.GetLast()),
		Again:     turn.GetAgain(),
	}
}

func (r *reader) gameStarted(started *pb.GameStarted, rules *Rules) *GameStarted {
	read := &GameStarted{
		Game:        started.GetGameId(),
		Seat:        int(started.GetSeat()),
		Match:       started.GetMatchId(),
		Rules:       rules,
		Limits:      readLimits(started.GetLimits()),
		Commitment:  started.GetCommitment(),
		Dealer:      int(started.GetDealer()),
		Scorekeeper: int(started.GetScorekeeper()),
	}
	for _, player := range started.GetPlayers() {
		read.Players = append(read.Players,
			Player{player.GetName(), player.GetVersion(), player.GetSdk(), player.GetAuthor()})
	}
	for _, round := range started.GetDraw() {
		drawn := make([]DrawnCard, len(round.GetCards()))
		for i, card := range round.GetCards() {
			drawn[i] = DrawnCard{int(card.GetSeat()), r.card(card.GetCard())}
		}
		read.Draw = append(read.Draw, drawn)
	}
	return read
}

// event is nil for one that is told in another way, or that is not known here.
func (r *reader) event(event *pb.Event) Event {
	game := event.GetGameId()
	switch event := event.GetEvent().(type) {
	case *pb.Event_HandDealt:
		dealt := event.HandDealt
		return HandDealt{
			Game: game, Hand: int(dealt.GetHand()), Size: int(dealt.GetSize()), Dealer: int(dealt.GetDealer()),
			Cut: int(dealt.GetCut()), Turned: r.turned(dealt.Turned), Trump: readTrump(dealt.GetTrump()),
		}
	case *pb.Event_BidMade:
		bid := event.BidMade
		return BidMade{game, int(bid.GetHand()), int(bid.GetSeat()), int(bid.GetBid())}
	case *pb.Event_CardPlayed:
		played := event.CardPlayed
		return CardPlayed{
			game, int(played.GetHand()), int(played.GetTrick()), int(played.GetSeat()), r.card(played.GetCard()),
		}
	case *pb.Event_TrickTaken:
		taken := event.TrickTaken
		return TrickTaken{game, int(taken.GetHand()), int(taken.GetTrick()), int(taken.GetWinner())}
	case *pb.Event_FaultCharged:
		fault := event.FaultCharged
		return FaultCharged{
			game, int(fault.GetHand()), int(fault.GetSeat()), FaultKind(fault.GetKind()), fault.GetPlayedOut(),
		}
	}
	return nil
}

// readTrump takes a trump that is not known for none. Suits have the numbers of the protocol's trumps.
func readTrump(trump pb.Trump) Suit {
	if trump < pb.Trump_TRUMP_CLUBS || trump > pb.Trump_TRUMP_SPADES {
		return NoSuit
	}
	return Suit(trump)
}

func readRules(rules *pb.Rules) *Rules {
	return &Rules{
		Seats:       int(rules.GetSeats()),
		Variant:     Variant(rules.GetVariant()),
		Hands:       ints(rules.GetHands()),
		BlukeLed:    BlukeLed(rules.GetBlukeLed()),
		Cut:         CutRule(rules.GetCut()),
		MaxHand:     int(rules.GetMaxHand()),
		LastHand:    int(rules.GetLastHand()),
		CustomHands: rules.GetCustomHands(),
	}
}

func readClock(decision, bank *uint32) *Clock {
	if decision == nil && bank == nil {
		return nil
	}
	clock := &Clock{}
	if decision != nil {
		clock.Decision = milliseconds(*decision)
	}
	if bank != nil {
		clock.Bank = milliseconds(*bank)
	}
	return clock
}

func readLast(last *pb.LastDecision) *LastDecision {
	if last == nil {
		return nil
	}
	return &LastDecision{
		Decision:    last.GetDecisionId(),
		Measured:    time.Duration(last.GetMeasuredUs()) * time.Microsecond,
		ExcusedTime: time.Duration(last.GetExcusedUs()) * time.Microsecond,
		Applied:     int(last.GetApplied()),
		ByReferee:   last.GetByReferee(),
		Excused:     last.GetExcused(),
	}
}

func readLimits(limits *pb.GameLimits) Limits {
	if limits == nil {
		limits = &pb.GameLimits{}
	}
	return Limits{
		Policy:    Policy(limits.GetPolicy()),
		Clock:     readClock(limits.DecisionMs, limits.BankMs),
		Wall:      milliseconds(limits.GetWallMs()),
		Grace:     milliseconds(limits.GetGraceMs()),
		MaxFaults: int(limits.GetMaxFaults()),
	}
}

func readHandScored(scored *pb.HandScored) *HandScored {
	result := scored.GetResult()
	outcomes := make([]Outcome, len(result.GetOutcomes()))
	for i, outcome := range result.GetOutcomes() {
		outcomes[i] = Outcome(outcome)
	}
	return &HandScored{
		Game:     scored.GetGameId(),
		Seat:     int(scored.GetSeat()),
		Hand:     int(result.GetHand()),
		Bids:     ints(result.GetBids()),
		Tricks:   ints(result.GetTricks()),
		Points:   ints(result.GetPoints()),
		Totals:   ints(result.GetTotals()),
		Outcomes: outcomes,
	}
}

func readGameOver(over *pb.GameOver) *GameOver {
	result := over.GetResult()
	return &GameOver{
		Game:      over.GetGameId(),
		Seat:      int(over.GetSeat()),
		Status:    Status(result.GetStatus()),
		Totals:    ints(result.GetTotals()),
		Places:    ints(result.GetPlaces()),
		Faults:    ints(result.GetFaults()),
		PlayedOut: ints(result.GetPlayedOut()),
		Reason:    result.GetReason(),
		Seed:      over.GetGameSeed(),
	}
}

func milliseconds(count uint32) time.Duration { return time.Duration(count) * time.Millisecond }

func ints[T int32 | uint32](numbers []T) []int {
	read := make([]int, len(numbers))
	for i, number := range numbers {
		read[i] = int(number)
	}
	return read
}
