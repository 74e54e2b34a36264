package bluke

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "bluke-arena/clients/go/gen/bluke/v1"
)

// The first message names bot, token, versions and wishes, in valid UTF-8.
func TestHelloSaysWhoTheBotIs(t *testing.T) {
	r := newReferee(t)
	start(t, r, scripted{}, func(c *client) {
		c.options = Options{
			Server: r.address, Token: "secret", Name: "b\xff", Version: "2", Author: "me", MaxGames: 9, Events: true,
			GiveUp: patience,
		}
	})
	_, hello := r.dialled(t)
	if !strings.HasPrefix(hello.GetSdk(), "go/"+Version+" (go") || len(hello.GetSdk()) > 64 {
		t.Error(hello.GetSdk())
	}
	hello.Sdk = ""
	expected := &pb.Hello{
		Token: "secret", Name: "b\uFFFD", Version: "2", Author: "me", Protocols: []uint32{1}, MaxGames: 9, WantsEvents: true,
	}
	if hello.String() != expected.String() {
		t.Errorf("%v, not %v", hello, expected)
	}
}

// Address and token come from the environment when they are not given.
func TestEnvironmentSaysWhereAndWho(t *testing.T) {
	r := newReferee(t)
	t.Setenv("BLUKE_SERVER", r.address)
	t.Setenv("BLUKE_TOKEN", "from the environment")
	go func() { _ = Play(t.Context(), func() Bot { return &scripted{} }, Options{}) }()
	if _, hello := r.dialled(t); hello.GetToken() != "from the environment" {
		t.Error(hello)
	}
}

// After the referee's goodbye there is no error, and a bot may hear of its last game.
func TestAGoodbyeEndsTheBotWell(t *testing.T) {
	r := newReferee(t)
	var heard any
	bot := start(t, r, scripted{told: func(what any) { heard = what }})
	s := r.welcomed(t)
	s.ask(bidTurn("a", 0, 1))
	s.move()
	s.over("a", 0)
	s.goodbye()
	if err := bot.wait(); err != nil {
		t.Fatal(err)
	}
	if _, ok := heard.(*GameOver); !ok {
		t.Error(heard)
	}
}

// The bot dials again with its key, whether the stream ends well or badly, and goes on with the same bots.
func TestABrokenStreamIsNotTheEnd(t *testing.T) {
	r := newReferee(t)
	made := 0
	start(t, r, scripted{}, func(c *client) {
		c.makeBot = func() Bot {
			made++
			return &scripted{}
		}
	})
	s := r.welcomed(t)
	for i, end := range []error{nil, status.Error(codes.Internal, "oh"), status.Error(codes.Unavailable, "")} {
		s.ask(bidTurn("a", 0, uint64(i+1)))
		s.move()
		s.end <- end
		next, hello := r.dialled(t)
		if !bytes.Equal(hello.GetResumeKey(), []byte("key")) {
			t.Fatal(hello)
		}
		next.welcome(&pb.Welcome{ResumeKey: []byte("key"), Resumed: true})
		s = next
	}
	s.ask(bidTurn("a", 0, 9))
	s.move()
	if made != 1 {
		t.Errorf("%d bots were made", made)
	}
}

// The answer that may have been lost is said again, with its note, and the bot is not asked twice.
func TestADecisionAskedAgainIsNotMadeAgain(t *testing.T) {
	r := newReferee(t)
	asked := 0
	start(t, r, scripted{bid: func(view *BidView) int {
		asked++
		view.Note("why")
		return asked
	}})
	s := r.welcomed(t)
	s.ask(bidTurn("a", 0, 5))
	first := s.move()
	s.end <- nil
	s = r.welcomed(t)
	again := bidTurn("a", 0, 5)
	again.Again = true
	s.ask(again)
	if move := s.move(); move.String() != first.String() || move.GetNote() != "why" {
		t.Errorf("%v, not %v", move, first)
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// A decision that is being made while the stream breaks is answered on the next one.
func TestADecisionOutlivesTheStream(t *testing.T) {
	r, begun, end := newReferee(t), make(chan bool), make(chan int)
	start(t, r, scripted{bid: func(*BidView) int {
		begun <- true
		return <-end
	}})
	s := r.welcomed(t)
	s.ask(bidTurn("a", 0, 5))
	receive(t, begun)
	s.end <- nil
	s = r.welcomed(t)
	s.ask(bidTurn("a", 0, 5), turn("b", 0, 1, pb.Asked_ASKED_PLAY))
	if move := s.move(); move.GetGameId() != "b" {
		t.Error(move)
	}
	end <- 2
	if move := s.move(); move.GetGameId() != "a" || move.GetBid() != 2 {
		t.Error(move)
	}
}

// A failure that may have been lost is another try.
func TestAFailureAskedAgainIsAskedAnew(t *testing.T) {
	r, _ := newReferee(t), shown(t)
	asked := 0
	start(t, r, scripted{bid: func(*BidView) int {
		asked++
		if asked == 1 {
			panic("no")
		}
		return 2
	}})
	s := r.welcomed(t)
	s.ask(bidTurn("a", 0, 5))
	if s.hear().GetError() == nil {
		t.Fatal("no error was said")
	}
	s.end <- nil
	s = r.welcomed(t)
	s.ask(bidTurn("a", 0, 5))
	if move := s.move(); move.GetBid() != 2 {
		t.Error(move)
	}
}

// When the key is outdated the bot comes back without it, and has forgotten its games.
func TestSeatsThatAreLostAreForgotten(t *testing.T) {
	r, _ := newReferee(t), shown(t)
	asked := 0
	start(t, r, scripted{bid: func(*BidView) int {
		asked++
		return asked
	}})
	s := r.welcomed(t)
	s.ask(bidTurn("a", 0, 1))
	s.move()
	s.end <- nil
	s, _ = r.dialled(t)
	s.refuse(pb.RefusalReason_REFUSAL_REASON_RESUME, "too late")
	s, hello := r.dialled(t)
	if len(hello.GetResumeKey()) > 0 {
		t.Fatal(hello)
	}
	s.welcome(&pb.Welcome{ResumeKey: []byte("new")})
	s.ask(bidTurn("a", 0, 1))
	if move := s.move(); move.GetBid() != 2 {
		t.Error(move)
	}
}

// What the referee says of a hello it refuses is the error.
func TestARefusalEndsTheBot(t *testing.T) {
	r := newReferee(t)
	bot := start(t, r, scripted{})
	s, _ := r.dialled(t)
	s.refuse(pb.RefusalReason_REFUSAL_REASON_TOKEN, "the token is unknown: ask for another")
	err := bot.wait()
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Message != "the token is unknown: ask for another" || exitCode(err) != 2 {
		t.Error(err)
	}
}

// A status that dialling again cannot mend is said, and nothing is dialled again.
func TestAHopelessEnd(t *testing.T) {
	for code, expected := range map[codes.Code]string{
		codes.Aborted:           "ended the stream: enough (Aborted)",
		codes.ResourceExhausted: "ended the stream: enough (ResourceExhausted)",
		codes.InvalidArgument:   "ended the stream: enough (InvalidArgument)",
		codes.Unimplemented:     "is not a Bluke referee",
	} {
		r := newReferee(t)
		bot := start(t, r, scripted{})
		s := r.welcomed(t)
		s.end <- status.Error(code, "enough")
		if err := bot.wait(); err == nil || !strings.Contains(err.Error(), expected) || exitCode(err) != 1 {
			t.Errorf("%v: %v", code, err)
		}
	}
}

// A bot that is told to leave says goodbye, closes its side, and starts nothing more.
func TestStopSaysGoodbye(t *testing.T) {
	r := newReferee(t)
	bot := start(t, r, scripted{})
	s := r.welcomed(t)
	s.ask(bidTurn("a", 0, 1))
	s.move()
	cause := errors.New("had enough")
	bot.stop(cause)
	if goodbye := s.hear().GetGoodbye(); goodbye.GetReason() != "had enough" {
		t.Error(goodbye)
	}
	if more := s.hear(); more != nil {
		t.Error(more)
	}
	s.end <- nil
	if err := bot.wait(); err != cause {
		t.Error(err)
	}
}

// A bot that is told to leave before it has dialled does not dial.
func TestStopBeforeTheFirstDial(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	err := Play(ctx, func() Bot { return &scripted{} }, Options{Server: "localhost:1"})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A message of the wrong kind in the place of the welcome is no reason to stop looking for a referee.
func TestAFirstWordThatIsNoWelcome(t *testing.T) {
	r, _ := newReferee(t), shown(t)
	start(t, r, scripted{})
	s, _ := r.dialled(t)
	s.start("a", 0)
	s = r.welcomed(t)
	s.ask(bidTurn("a", 0, 1))
	s.move()
}
