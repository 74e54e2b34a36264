package bluke

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"

	pb "bluke-arena/clients/go/gen/bluke/v1"
)

// patience is how long a test waits for what must come; only a test that fails waits so long.
const patience = 20 * time.Second

// referee is a scripted one: a test takes its streams one by one, and says and hears what it likes.
type referee struct {
	pb.UnimplementedRefereeServiceServer
	address string
	streams chan *stream
}

// stream is the referee's side of one stream.
type stream struct {
	pb.RefereeService_PlayServer
	t    *testing.T
	end  chan error // what the stream is to end with
	said chan *pb.PlayRequest
}

func newReferee(t *testing.T, options ...grpc.ServerOption) *referee {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	r := &referee{address: "unix:" + path, streams: make(chan *stream, 16)}
	r.serve(t, listener, options...)
	return r
}

func (r *referee) serve(t *testing.T, listener net.Listener, options ...grpc.ServerOption) {
	server := grpc.NewServer(options...)
	pb.RegisterRefereeServiceServer(server, r)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
}

func (r *referee) Play(side pb.RefereeService_PlayServer) error {
	s := &stream{side, nil, make(chan error, 1), make(chan *pb.PlayRequest, 1024)}
	go func() {
		defer close(s.said)
		for {
			request, err := side.Recv()
			if err != nil {
				return
			}
			s.said <- request
		}
	}()
	r.streams <- s
	select {
	case err := <-s.end:
		return err
	case <-side.Context().Done():
		return nil
	}
}

// dialled is the next stream that a bot has opened, with its hello.
func (r *referee) dialled(t *testing.T) (*stream, *pb.Hello) {
	t.Helper()
	s := receive(t, r.streams)
	s.t = t
	return s, s.hear().GetHello()
}

// welcomed is the next stream, after the welcome; resumed if the bot had a key.
func (r *referee) welcomed(t *testing.T) *stream {
	t.Helper()
	s, hello := r.dialled(t)
	s.welcome(&pb.Welcome{ResumeKey: []byte("key"), Resumed: len(hello.GetResumeKey()) > 0})
	return s
}

func (s *stream) say(response *pb.PlayResponse) {
	s.t.Helper()
	if err := s.Send(response); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stream) welcome(welcome *pb.Welcome) {
	s.say(&pb.PlayResponse{Payload: &pb.PlayResponse_Welcome{Welcome: welcome}})
}

func (s *stream) refuse(reason pb.RefusalReason, message string) {
	s.say(&pb.PlayResponse{Payload: &pb.PlayResponse_Refusal{Refusal: &pb.Refusal{Reason: reason, Message: message}}})
	s.end <- nil
}

func (s *stream) ask(turns ...*pb.Turn) {
	s.say(&pb.PlayResponse{Payload: &pb.PlayResponse_Turns{Turns: &pb.Turns{Turns: turns}}})
}

func (s *stream) start(game string, seat uint32) {
	started := &pb.GameStarted{GameId: game, Seat: seat, Rules: rules()}
	s.say(&pb.PlayResponse{Payload: &pb.PlayResponse_GameStarted{GameStarted: started}})
}

func (s *stream) over(game string, seat uint32) {
	result := &pb.GameResult{Status: pb.GameStatus_GAME_STATUS_COMPLETE, Totals: []int32{10, -10}, Places: []uint32{1, 2}}
	over := &pb.GameOver{GameId: game, Seat: seat, Result: result, GameSeed: []byte("seed")}
	s.say(&pb.PlayResponse{Payload: &pb.PlayResponse_GameOver{GameOver: over}})
}

func (s *stream) goodbye() {
	s.say(&pb.PlayResponse{Payload: &pb.PlayResponse_Goodbye{Goodbye: &pb.Goodbye{Reason: "closing"}}})
	s.end <- nil
}

// hear is the next thing that the bot said; nil after its half of the stream was closed.
func (s *stream) hear() *pb.PlayRequest {
	s.t.Helper()
	return receive(s.t, s.said)
}

// moves are the moves of the next message, which must be some.
func (s *stream) moves() []*pb.Move {
	s.t.Helper()
	request := s.hear()
	if request.GetMoves() == nil {
		s.t.Fatalf("the bot said %v, no moves", request)
	}
	return request.GetMoves().GetMoves()
}

// move is the only move of the next message.
func (s *stream) move() *pb.Move {
	s.t.Helper()
	moves := s.moves()
	if len(moves) != 1 {
		s.t.Fatalf("%d moves in one message, not 1", len(moves))
	}
	return moves[0]
}

func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(patience):
		t.Fatal("it never came")
		panic("unreachable")
	}
}

func rules() *pb.Rules {
	return &pb.Rules{Seats: 2, Variant: pb.Variant_VARIANT_STANDARD, Hands: []uint32{2, 1, 2}}
}

// turn is a question in which everything is legal and nothing has happened.
func turn(game string, seat uint32, decision uint64, asked pb.Asked) *pb.Turn {
	return &pb.Turn{
		GameId: game, Seat: seat, DecisionId: decision, Asked: asked, Legal: []uint32{1, 2},
		View: &pb.View{
			Rules: rules(), Totals: []int32{0, 0}, Size: 2, Cards: []uint32{1, 2},
			Bids: []uint32{0, 0}, TricksWon: []uint32{0, 0},
		},
	}
}

func bidTurn(game string, seat uint32, decision uint64) *pb.Turn {
	return turn(game, seat, decision, pb.Asked_ASKED_BID)
}

// scripted is a bot whose methods a test gives; what is left out answers with the first legal one.
type scripted struct {
	Base
	bid  func(*BidView) int
	play func(*PlayView) Card
	told func(any)
}

func (s *scripted) Bid(view *BidView) int {
	if s.bid == nil {
		return view.Legal[0]
	}
	return s.bid(view)
}

func (s *scripted) Play(view *PlayView) Card {
	if s.play == nil {
		return view.Legal[0]
	}
	return s.play(view)
}

func (s *scripted) GameStarted(game *GameStarted) { s.tell(game) }
func (s *scripted) HandScored(hand *HandScored)   { s.tell(hand) }
func (s *scripted) GameOver(game *GameOver)       { s.tell(game) }
func (s *scripted) Event(event Event)             { s.tell(event) }

func (s *scripted) tell(what any) {
	if s.told != nil {
		s.told(what)
	}
}

// started is a bot that plays in the test's own process.
type started struct {
	t     *testing.T
	ended chan error
	stop  context.CancelCauseFunc
}

// start plays at a referee. Answers wait for the rest of their batch as long as it takes, and nothing
// waits before it dials again, unless change says otherwise.
func start(t *testing.T, r *referee, bot scripted, change ...func(*client)) *started {
	t.Helper()
	makeBot := func() Bot {
		one := bot
		return &one
	}
	options := Options{Server: r.address, Name: "tester"}
	if err := options.complete(); err != nil {
		t.Fatal(err)
	}
	client := newClient(makeBot, options)
	client.firstWait, client.flushAfter, client.partingWait = 1, time.Hour, patience
	for _, change := range change {
		change(client)
	}
	ctx, stop := context.WithCancelCause(context.Background())
	s := &started{t, make(chan error, 1), stop}
	go func() { s.ended <- client.run(ctx) }()
	t.Cleanup(func() { stop(context.Canceled) })
	return s
}

// wait is how the bot ended.
func (s *started) wait() error {
	s.t.Helper()
	return receive(s.t, s.ended)
}

// diary is a writer for what goroutines write while a test reads.
type diary struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (d *diary) Write(text []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.Write(text)
}

func (d *diary) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.String()
}

// shown collects what is shown on standard error and logged while the test lasts.
func shown(t *testing.T) fmt.Stringer {
	t.Helper()
	notes, before, logger := &diary{}, stderr, slog.Default()
	stderr = notes
	slog.SetDefault(slog.New(slog.NewTextHandler(notes, nil)))
	t.Cleanup(func() {
		stderr = before
		slog.SetDefault(logger)
	})
	return notes
}
