package bluke

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"runtime"
	"strings"
	"time"

	pb "bluke-arena/clients/go/gen/bluke/v1"
)

// detailBytes is how much of a failure the referee is told.
const detailBytes = 4096

// stderr is where failures of a bot's own code are shown.
var stderr io.Writer = os.Stderr

// seat is one seat of one game. The client's lock guards all of it but the bot, which belongs to the
// goroutine that does the seat's tasks.
type seat struct {
	client *client
	game   string
	number int
	rules  *Rules
	bot    Bot

	tasks []func() // what the bot is still to be asked and told, in order
	busy  bool     // whether a goroutine does them

	decision uint64             // the last one that was asked
	cancel   context.CancelFunc // of that decision, while it is being made
	answer   *pb.Move           // to that decision, said again if it is asked again
}

// questions are all that can be asked: the method, and what asks it and puts the answer into the move.
var questions = map[pb.Asked]struct {
	method string
	ask    func(Bot, *pb.Turn, View, *pb.Move)
}{
	pb.Asked_ASKED_CUT: {"cut", func(bot Bot, turn *pb.Turn, view View, move *pb.Move) {
		asked := &CutView{view, ints(turn.GetLegal())}
		move.Answer = &pb.Move_Cut{Cut: count("Cut", bot.Cut(asked))}
		move.Note = asked.said()
	}},
	pb.Asked_ASKED_BID: {"bid", func(bot Bot, turn *pb.Turn, view View, move *pb.Move) {
		asked := &BidView{view, ints(turn.GetLegal())}
		move.Answer = &pb.Move_Bid{Bid: count("Bid", bot.Bid(asked))}
		move.Note = asked.said()
	}},
	pb.Asked_ASKED_PLAY: {"play", func(bot Bot, turn *pb.Turn, view View, move *pb.Move) {
		var read reader
		asked := &PlayView{view, read.cards(turn.GetLegal())}
		if read.err != nil {
			panic(complaint(read.err.Error()))
		}
		move.Answer = &pb.Move_Card{Card: uint32(bot.Play(asked))}
		move.Note = asked.said()
	}},
}

// turn has a decision made. The client's lock is held here and up to do.
func (s *seat) turn(turn *pb.Turn, arrived time.Time, box *outbox) {
	switch {
	case turn.GetDecisionId() != s.decision:
		if s.cancel != nil {
			slog.Warn("its time was over before it was made", "game", s.game, "seat", s.number, "decision", s.decision)
		}
		s.drop()
	case s.answer != nil:
		// Asked again, on a new stream.
		box.move(s.answer, nil)
		return
	case s.cancel != nil:
		return
	}
	var ctx context.Context
	if clock := readClock(turn.DecisionLeftMs, turn.BankLeftMs); clock != nil {
		ctx, s.cancel = context.WithDeadline(s.client.ctx, arrived.Add(clock.Decision+clock.Bank))
	} else {
		ctx, s.cancel = context.WithCancel(s.client.ctx)
	}
	s.decision = turn.GetDecisionId()
	of := box.begin()
	s.do(func() { s.decide(ctx, turn, of) })
}

// drop gives up the decision that is being made, if any, and forgets the answer to the last one.
func (s *seat) drop() {
	if s.cancel != nil {
		s.cancel()
	}
	s.decision, s.cancel, s.answer = 0, nil, nil
}

// hear has the bot told something.
func (s *seat) hear(method string, tell func(Bot)) {
	s.do(func() {
		failure := s.call(tell)
		if failure == "" {
			return
		}
		s.show(method, 0, failure)
		if method != "game_over" {
			s.client.mu.Lock()
			defer s.client.mu.Unlock()
			s.report(method, 0, failure, nil)
		}
	})
}

// do appends a task, and begins with it if there is no other.
func (s *seat) do(task func()) {
	s.tasks = append(s.tasks, task)
	if !s.busy {
		s.busy = true
		s.client.busy.Go(s.work)
	}
}

func (s *seat) work() {
	for {
		s.client.mu.Lock()
		if len(s.tasks) == 0 || s.client.leaving {
			s.busy = false
			s.client.mu.Unlock()
			return
		}
		task := s.tasks[0]
		s.tasks = s.tasks[1:]
		s.client.mu.Unlock()
		task()
	}
}

func (s *seat) decide(ctx context.Context, turn *pb.Turn, of *ticket) {
	defer of.end()
	id := turn.GetDecisionId()
	if !s.open(id) {
		return
	}
	question := questions[turn.GetAsked()]
	move := &pb.Move{GameId: s.game, DecisionId: id}
	failure := s.call(func(bot Bot) {
		var read reader
		view := read.view(turn, s.rules)
		if read.err != nil {
			panic(complaint(read.err.Error()))
		}
		view.ctx = ctx
		question.ask(bot, turn, view, move)
	})
	if failure != "" {
		s.show(question.method, id, failure)
	}

	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	if s.decision != id {
		return
	}
	s.cancel()
	s.cancel = nil
	if failure != "" {
		s.report(question.method, id, failure, of)
		return
	}
	s.answer = move
	// Without a stream the answer waits for the decision to be asked again.
	if box := s.client.outbox; box != nil {
		box.move(move, of)
	}
}

// open tells whether a decision is still the seat's last one.
func (s *seat) open(decision uint64) bool {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	return s.decision == decision
}

// call calls the bot's own code, and returns how it failed, if it did.
func (s *seat) call(do func(Bot)) (failure string) {
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case complaint:
			failure = string(cause)
		default:
			failure = fmt.Sprintf("panic: %v\n%s", cause, trace())
		}
	}()
	if s.bot == nil {
		if s.bot = s.client.makeBot(); s.bot == nil {
			panic(complaint("the function that makes bots returned nil"))
		}
	}
	do(s.bot)
	return ""
}

// complaint is a panic that says all there is to say.
type complaint string

func count(method string, answer int) uint32 {
	if answer < 0 || answer > math.MaxUint32 {
		panic(complaint(fmt.Sprintf("%s returned %d: it must return one of view.Legal", method, answer)))
	}
	return uint32(answer)
}

func (v *View) said() *string {
	if v.note == "" {
		return nil
	}
	return &v.note
}

// trace tells where a panic began: the frames between the runtime's and those of this file.
func trace() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)])
	var lines strings.Builder
	for {
		frame, more := frames.Next()
		own := strings.Contains(frame.Function, "/bluke.(*seat).") || strings.Contains(frame.Function, "/bluke.init")
		if own || !more {
			return lines.String()
		}
		if !strings.HasPrefix(frame.Function, "runtime.") {
			fmt.Fprintf(&lines, "%s\n\t%s:%d\n", frame.Function, frame.File, frame.Line)
		}
	}
}

// show shows on standard error how the bot's own code failed.
func (s *seat) show(method string, decision uint64, failure string) {
	where := method
	if decision != 0 {
		where = fmt.Sprintf("%s, decision %d", method, decision)
	}
	fmt.Fprintf(stderr, "the bot failed on %s of game %s, seat %d:\n%s\n",
		where, s.game, s.number, strings.TrimSuffix(failure, "\n"))
}

// report tells the referee that it need not wait.
func (s *seat) report(method string, decision uint64, failure string, of *ticket) {
	if box := s.client.outbox; box != nil {
		detail := clip(method+": "+failure, detailBytes)
		failed := &pb.BotError{GameId: s.game, DecisionId: decision, Detail: detail}
		box.say(&pb.PlayRequest{Payload: &pb.PlayRequest_Error{Error: failed}}, of)
	}
}
