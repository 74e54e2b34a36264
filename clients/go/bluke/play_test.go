package bluke

import (
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	pb "bluke-arena/clients/go/gen/bluke/v1"
)

// A cut, a bid and a card are answered in kind; a bot that says nothing of cuts taps.
func TestAnswersCarryGameDecisionAndKind(t *testing.T) {
	r := newReferee(t)
	start(t, r, scripted{})
	s := r.welcomed(t)
	for _, c := range []struct {
		asked pb.Asked
		want  *pb.Move
	}{
		{pb.Asked_ASKED_CUT, &pb.Move{GameId: "a", DecisionId: 7, Answer: &pb.Move_Cut{Cut: 0}}},
		{pb.Asked_ASKED_BID, &pb.Move{GameId: "a", DecisionId: 8, Answer: &pb.Move_Bid{Bid: 1}}},
		{pb.Asked_ASKED_PLAY, &pb.Move{GameId: "a", DecisionId: 9, Answer: &pb.Move_Card{Card: 1}}},
	} {
		s.ask(turn("a", 0, c.want.GetDecisionId(), c.asked))
		if move := s.move(); move.String() != c.want.String() {
			t.Errorf("%v, not %v", move, c.want)
		}
	}
}

// Many turns in one message are answered by a list of moves, not by a message each.
func TestABatchOfTurnsIsAnsweredInOneMessage(t *testing.T) {
	r := newReferee(t)
	start(t, r, scripted{})
	s := r.welcomed(t)
	var turns []*pb.Turn
	for i := range uint64(mostMoves) {
		turns = append(turns, bidTurn(string(rune('A'+i)), 0, i+1))
	}
	for range 3 {
		s.ask(turns...)
		if moves := s.moves(); len(moves) != len(turns) {
			t.Fatalf("%d moves in a message, not %d", len(moves), len(turns))
		}
		for _, turn := range turns {
			turn.DecisionId += 100
		}
	}
}

// An answer does not wait for others of its batch that take long, and decisions of different games are
// made side by side.
func TestASlowDecisionHoldsUpNoOther(t *testing.T) {
	r, slow := newReferee(t), make(chan int)
	bid := func(view *BidView) int {
		if view.Game == "slow" {
			return <-slow
		}
		return 1
	}
	start(t, r, scripted{bid: bid}, func(c *client) { c.flushAfter = time.Nanosecond })
	s := r.welcomed(t)
	s.ask(bidTurn("slow", 0, 1), bidTurn("fast", 0, 1))
	if move := s.move(); move.GameId != "fast" {
		t.Error(move)
	}
	slow <- 2
	if move := s.move(); move.GameId != "slow" || move.GetBid() != 2 {
		t.Error(move)
	}
}

// Two seats of one game and two games never share a bot.
func TestEachSeatHasABotOfItsOwn(t *testing.T) {
	r := newReferee(t)
	var made []string
	memory := map[*string]bool{}
	var mu sync.Mutex
	makeBot := func() Bot {
		own := new(string)
		mu.Lock()
		defer mu.Unlock()
		memory[own] = true
		return &scripted{bid: func(view *BidView) int {
			*own += view.Game
			mu.Lock()
			defer mu.Unlock()
			made = append(made, *own)
			return 1
		}}
	}
	start(t, r, scripted{}, func(c *client) { c.makeBot = makeBot })
	s := r.welcomed(t)
	for i := range uint64(2) {
		s.ask(bidTurn("a", 0, 2*i+1))
		s.move()
		s.ask(bidTurn("a", 1, 2*i+2))
		s.move()
		s.ask(bidTurn("b", 0, i+1))
		s.move()
	}
	if expected := []string{"a", "a", "b", "aa", "aa", "bb"}; !reflect.DeepEqual(made, expected) || len(memory) != 3 {
		t.Error(made, len(memory))
	}
}

// A bot hears in order how its game begins, how hands end, public events, and how the game ends: once,
// however often that is told. Then it is forgotten.
func TestWhatIsToldBetweenDecisions(t *testing.T) {
	r, told := newReferee(t), make(chan any, 16)
	bot := start(t, r, scripted{told: func(what any) { told <- what }})
	s := r.welcomed(t)
	decision, bank := uint32(2000), uint32(60000)
	cut, turned := uint32(3), uint32(52)
	s.say(&pb.PlayResponse{Payload: &pb.PlayResponse_GameStarted{GameStarted: &pb.GameStarted{
		GameId: "a", Seat: 1, MatchId: "m", Rules: rules(), Dealer: 1, Scorekeeper: 0, Commitment: []byte{7},
		Players: []*pb.Player{{Name: "x", Version: "1", Sdk: "go", Author: "me"}, {Name: "y"}},
		Limits: &pb.GameLimits{
			Policy: pb.Policy_POLICY_STRICT, DecisionMs: &decision, BankMs: &bank, WallMs: 5, GraceMs: 6, MaxFaults: 3,
		},
		Draw: []*pb.DrawRound{{Cards: []*pb.DrawnCard{{Seat: 0, Card: 4}, {Seat: 1, Card: 5}}}},
	}}})
	s.say(&pb.PlayResponse{Payload: &pb.PlayResponse_Events{Events: &pb.Events{Events: []*pb.Event{
		{GameId: "a", Event: &pb.Event_HandDealt{HandDealt: &pb.HandDealt{
			Hand: 1, Size: 2, Dealer: 1, Cut: &cut, Turned: &turned, Trump: pb.Trump_TRUMP_NONE,
		}}},
		{GameId: "a", Event: &pb.Event_BidMade{BidMade: &pb.BidMade{Hand: 1, Seat: 0, Bid: 2}}},
		{GameId: "other", Event: &pb.Event_BidMade{BidMade: &pb.BidMade{Hand: 1, Seat: 0, Bid: 2}}},
		{GameId: "a", Event: &pb.Event_CardPlayed{CardPlayed: &pb.CardPlayed{Hand: 1, Trick: 0, Seat: 1, Card: 53}}},
		{GameId: "a", Event: &pb.Event_TrickTaken{TrickTaken: &pb.TrickTaken{Hand: 1, Trick: 0, Winner: 1}}},
		{GameId: "a", Event: &pb.Event_FaultCharged{FaultCharged: &pb.FaultCharged{
			Hand: 1, Seat: 1, Kind: pb.FaultKind_FAULT_KIND_TIMEOUT, PlayedOut: true,
		}}},
		{GameId: "a"},
	}}}})
	s.say(&pb.PlayResponse{Payload: &pb.PlayResponse_HandScored{HandScored: &pb.HandScored{
		GameId: "a", Seat: 1, Result: &pb.HandResult{
			Hand: 1, Bids: []uint32{1, 2}, Tricks: []uint32{2, 0}, Points: []int32{11, -20}, Totals: []int32{11, -20},
			Outcomes: []pb.Outcome{pb.Outcome_OUTCOME_OVERTRICKS, pb.Outcome_OUTCOME_SET},
		},
	}}})
	s.over("a", 1)
	s.over("a", 1)
	s.goodbye()
	if err := bot.wait(); err != nil {
		t.Fatal(err)
	}
	for _, expected := range []any{
		&GameStarted{
			Game: "a", Seat: 1, Match: "m", Rules: readRules(rules()), Dealer: 1, Commitment: []byte{7},
			Players: []Player{{"x", "1", "go", "me"}, {Name: "y"}},
			Limits: Limits{
				Strict, &Clock{2 * time.Second, time.Minute}, 5 * time.Millisecond, 6 * time.Millisecond, 3,
			},
			Draw: [][]DrawnCard{{{0, 4}, {1, 5}}},
		},
		HandDealt{"a", 1, 2, 1, 3, Lo, NoSuit},
		BidMade{"a", 1, 0, 2},
		CardPlayed{"a", 1, 0, 1, Hi},
		TrickTaken{"a", 1, 0, 1},
		FaultCharged{"a", 1, 1, Timeout, true},
		&HandScored{"a", 1, 1, []int{1, 2}, []int{2, 0}, []int{11, -20}, []int{11, -20}, []Outcome{Overtricks, BidSet}},
		&GameOver{
			Game: "a", Seat: 1, Status: Complete, Totals: []int{10, -10}, Places: []int{1, 2},
			Faults: []int{}, PlayedOut: []int{}, Seed: []byte("seed"),
		},
	} {
		if what := receive(t, told); !reflect.DeepEqual(what, expected) {
			t.Errorf("%+v\nis not\n%+v", what, expected)
		}
	}
	if len(told) > 0 {
		t.Errorf("told besides: %+v", <-told)
	}
}

// Lines of a note go with the decision they were made in, and with no other.
func TestNotesBelongToOneDecision(t *testing.T) {
	r := newReferee(t)
	start(t, r, scripted{bid: func(view *BidView) int {
		if view.Decision == 1 {
			view.Note("two aces")
			view.Note("one is trump")
		}
		return 1
	}})
	s := r.welcomed(t)
	s.ask(bidTurn("a", 0, 1))
	if note := s.move().GetNote(); note != "two aces\none is trump" {
		t.Errorf("%q", note)
	}
	s.ask(bidTurn("a", 0, 2))
	if move := s.move(); move.Note != nil {
		t.Errorf("%q", move.GetNote())
	}
}

// Notes are cut at a whole character and are always UTF-8, and no message outgrows the referee's limit.
func TestLongNotesKeepWithinTheLimits(t *testing.T) {
	r := newReferee(t)
	start(t, r, scripted{bid: func(view *BidView) int {
		view.Note("\xff" + strings.Repeat("ä", 1000))
		return 1
	}})
	s, _ := r.dialled(t)
	s.welcome(&pb.Welcome{Limits: &pb.StreamLimits{MaxNoteBytes: 100, MaxMessageBytes: 1000}})
	var turns []*pb.Turn
	for i := range uint64(20) {
		turns = append(turns, bidTurn(string(rune('A'+i)), 0, 1))
	}
	s.ask(turns...)
	for heard := 0; heard < len(turns); {
		request := s.hear()
		heard += len(request.GetMoves().GetMoves())
		if size := len(request.String()); size > 1000 || len(request.GetMoves().GetMoves()) < 2 {
			t.Errorf("%d moves in %d bytes", len(request.GetMoves().GetMoves()), size)
		}
		for _, move := range request.GetMoves().GetMoves() {
			if note := move.GetNote(); note != "\uFFFD"+strings.Repeat("ä", 48) {
				t.Errorf("%d bytes: %q", len(note), note)
			}
		}
	}
}

// A panic is shown with the bot's own lines, the referee is told, and the next decision is made.
func TestAPanicIsShownAndReported(t *testing.T) {
	r, seen := newReferee(t), shown(t)
	start(t, r, scripted{bid: func(view *BidView) int {
		if view.Decision == 17 {
			return view.Legal[9]
		}
		return 2
	}})
	s := r.welcomed(t)
	s.ask(bidTurn("3f0c", 1, 17), bidTurn("else", 0, 1))
	var failed *pb.BotError
	for range 2 {
		if request := s.hear(); request.GetError() != nil {
			failed = request.GetError()
		}
	}
	if failed.GetGameId() != "3f0c" || failed.GetDecisionId() != 17 {
		t.Fatal(failed)
	}
	what := "panic: runtime error: index out of range [9] with length 2\n"
	if !strings.HasPrefix(failed.GetDetail(), "bid: "+what) {
		t.Error(failed.GetDetail())
	}
	if text := seen.String(); !strings.Contains(text, "failed on bid, decision 17 of game 3f0c, seat 1:\n"+what) ||
		!strings.Contains(text, "play_test.go:") || strings.Contains(text, "seat.go:") {
		t.Error(text)
	}
	s.ask(bidTurn("3f0c", 1, 18))
	if move := s.move(); move.GetBid() != 2 {
		t.Error(move)
	}
}

// What is no answer at all is the bot's own error, and says what would have been right.
func TestANegativeBidIsSaidInASentence(t *testing.T) {
	r, seen := newReferee(t), shown(t)
	start(t, r, scripted{bid: func(*BidView) int { return -1 }})
	s := r.welcomed(t)
	s.ask(bidTurn("a", 0, 1))
	sentence := "Bid returned -1: it must return one of view.Legal"
	if detail := s.hear().GetError().GetDetail(); detail != "bid: "+sentence {
		t.Errorf("%q", detail)
	}
	if !strings.HasSuffix(seen.String(), ":\n"+sentence+"\n") {
		t.Error(seen)
	}
}

// A card that is not legal, or none, is the referee's to judge.
func TestAnIllegalCardIsSentAsItIs(t *testing.T) {
	r := newReferee(t)
	start(t, r, scripted{play: func(*PlayView) Card { return NoCard }})
	s := r.welcomed(t)
	s.ask(turn("a", 0, 1, pb.Asked_ASKED_PLAY))
	if move := s.move(); move.GetCard() != 255 {
		t.Error(move)
	}
}

// A bot that cannot be made, and a hook that panics, are the bot's own errors too, but for the last hook.
func TestFailuresOutsideOfDecisions(t *testing.T) {
	r, seen := newReferee(t), shown(t)
	none := true
	bot := start(t, r, scripted{}, func(c *client) {
		c.makeBot = func() Bot {
			if none {
				none = false
				return nil
			}
			return &scripted{told: func(any) { panic("no") }}
		}
	})
	s := r.welcomed(t)
	s.ask(bidTurn("a", 0, 1))
	if failed := s.hear().GetError(); failed.GetDecisionId() != 1 ||
		failed.GetDetail() != "bid: the function that makes bots returned nil" {
		t.Error(failed)
	}
	s.start("a", 0)
	if failed := s.hear().GetError(); failed.GetDecisionId() != 0 || failed.GetGameId() != "a" ||
		!strings.HasPrefix(failed.GetDetail(), "game_started: panic: no\n") {
		t.Error(failed)
	}
	s.over("a", 0)
	s.ask(bidTurn("b", 0, 1))
	if move := s.move(); move.GetBid() != 1 {
		t.Error(move)
	}
	s.goodbye()
	if err := bot.wait(); err != nil || !strings.Contains(seen.String(), "failed on game_over of game a, seat 0:") {
		t.Error(err, seen)
	}
}

// When the next decision of a seat comes, the context of the one still being made is done, its answer is
// dropped, and the new one waits for the bot to return.
func TestADecisionWhoseTimeIsOverIsDropped(t *testing.T) {
	r, begun := newReferee(t), make(chan bool)
	start(t, r, scripted{bid: func(view *BidView) int {
		if view.Decision == 1 {
			begun <- true
			<-view.Context().Done()
			return 2
		}
		return 1
	}})
	s := r.welcomed(t)
	s.ask(bidTurn("a", 0, 1))
	receive(t, begun)
	s.ask(bidTurn("a", 0, 2))
	if move := s.move(); move.GetDecisionId() != 2 || move.GetBid() != 1 {
		t.Error(move)
	}
}

// The deadline of a decision is the moment at which its own time and the bank will be used up.
func TestTheDeadlineIsKnown(t *testing.T) {
	r, left := newReferee(t), make(chan time.Duration, 1)
	start(t, r, scripted{bid: func(view *BidView) int {
		deadline, known := view.Context().Deadline()
		if known {
			left <- time.Until(deadline)
		} else {
			left <- 0
		}
		return 1
	}})
	s := r.welcomed(t)
	asked := bidTurn("a", 0, 1)
	decision, bank := uint32(3_600_000), uint32(7_200_000)
	asked.DecisionLeftMs, asked.BankLeftMs = &decision, &bank
	s.ask(asked)
	if time := receive(t, left); time.Hours() < 2.9 || time.Hours() > 3 {
		t.Error(time)
	}
	s.ask(bidTurn("a", 0, 2))
	if time := receive(t, left); time != 0 {
		t.Error(time)
	}
}

// A decision waits until the bot has heard of all that went before.
func TestMethodsOfOneSeatDoNotOverlap(t *testing.T) {
	r, hearing, done := newReferee(t), make(chan bool), make(chan string, 2)
	start(t, r, scripted{
		told: func(any) {
			<-hearing
			done <- "heard"
		},
		bid: func(*BidView) int {
			done <- "bid"
			return 1
		},
	})
	s := r.welcomed(t)
	s.start("a", 0)
	s.ask(bidTurn("a", 0, 1), bidTurn("b", 0, 1))
	if what := receive(t, done); what != "bid" {
		t.Error("the other game waits too")
	}
	hearing <- true
	if first, second := receive(t, done), receive(t, done); first != "heard" || second != "bid" {
		t.Error(first, second)
	}
	if moves := s.moves(); len(moves) != 2 {
		t.Error(moves)
	}
}

// Stale notices are not even worth a warning; others and faults are told on the log, as harmless text.
func TestNoticesChangeNothing(t *testing.T) {
	r, seen := newReferee(t), shown(t)
	start(t, r, scripted{})
	s := r.welcomed(t)
	notice := func(verdict pb.Verdict, detail string) {
		notice := &pb.MoveNotice{GameId: "a", DecisionId: 3, Verdict: verdict, Detail: detail}
		s.say(&pb.PlayResponse{Payload: &pb.PlayResponse_Notice{Notice: notice}})
	}
	notice(pb.Verdict_VERDICT_STALE, "too late")
	notice(pb.Verdict_VERDICT_ILLEGAL, "follow suit\x1b[2J")
	s.say(&pb.PlayResponse{Payload: &pb.PlayResponse_Fault{Fault: &pb.FaultNotice{GameId: "a", Seat: 1, Detail: "asleep"}}})
	s.ask(bidTurn("a", 0, 1))
	s.move()
	text := seen.String()
	if strings.Contains(text, "too late") || !strings.Contains(text, `follow suit\x1b[2J`) || !strings.Contains(text, "asleep") {
		t.Error(text)
	}
}

// An unknown question, message, event or card is skipped with one warning, and the rest is answered.
func TestWhatANewerRefereeAsksIsLeftToIt(t *testing.T) {
	r, seen := newReferee(t), shown(t)
	start(t, r, scripted{})
	s := r.welcomed(t)
	newer := turn("a", 0, 1, pb.Asked(77))
	newer.ProtoReflect().SetUnknown([]byte{0xf8, 0x07, 0x01})
	for range 2 {
		s.say(&pb.PlayResponse{})
		s.say(&pb.PlayResponse{Payload: &pb.PlayResponse_GameStarted{GameStarted: &pb.GameStarted{
			GameId: "n", Draw: []*pb.DrawRound{{Cards: []*pb.DrawnCard{{Card: 54}}}},
		}}})
		s.ask(newer)
	}
	unknown := turn("b", 0, 1, pb.Asked_ASKED_PLAY)
	unknown.Legal = []uint32{3, 60}
	s.ask(unknown)
	if failed := s.hear().GetError(); failed.GetGameId() != "b" || !strings.Contains(failed.GetDetail(), "60: update the SDK") {
		t.Error(failed)
	}
	known := bidTurn("c", 0, 1)
	known.ProtoReflect().SetUnknown([]byte{0xf8, 0x07, 0x01})
	known.View.Rules.Variant = pb.Variant(99)
	known.View.Rules.BlukeLed = pb.BlukeLed(99)
	s.ask(newer, known)
	if move := s.move(); move.GameId != "c" {
		t.Error(move)
	}
	for _, once := range []string{"left to the referee", "does not know was skipped", "a message was skipped"} {
		if count := strings.Count(seen.String(), once); count != 1 {
			t.Errorf("%q is said %d times:\n%s", once, count, seen)
		}
	}
}
