package bluke

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "bluke-arena/clients/go/gen/bluke/v1"
)

const (
	protocol = 1
	// welcomeWait is how long a referee which took the connection may take to answer the hello.
	welcomeWait = 15 * time.Second
	// Before attempt n a wait is drawn from 0 to firstWait * 2^n, but no more than longestWait.
	firstWait, longestWait = 250 * time.Millisecond, 5 * time.Second
	// partingWait is how long the last words of either side may take.
	partingWait = time.Second
)

// hopeless are the statuses that dialling again cannot mend. After ABORTED another stream has taken
// over, or the referee has given this bot up: dialling again would only push the other one out.
var hopeless = map[codes.Code]bool{
	codes.Aborted:           true,
	codes.InvalidArgument:   true,
	codes.PermissionDenied:  true,
	codes.ResourceExhausted: true,
	codes.Unauthenticated:   true,
	codes.Unimplemented:     true,
}

// client is the bot's side of the stream: it dials, says hello, answers turns, and dials again when the
// stream breaks. One goroutine reads the stream, one writes it, and each seat that is busy has one of
// its own, which outlives a broken stream. The end of a stream is never the end of a game: only the
// referee's goodbye or refusal, or the context, ends run.
type client struct {
	makeBot     func() Bot
	options     Options
	firstWait   time.Duration
	flushAfter  time.Duration
	partingWait time.Duration

	// Of the goroutine that dials and reads.
	resumeKey []byte
	attempt   int
	deadline  time.Time
	warned    map[any]bool

	// busy counts the goroutines of seats.
	busy sync.WaitGroup

	mu      sync.Mutex
	ctx     context.Context // of all decisions
	games   map[string]map[int]*seat
	outbox  *outbox // of the stream that is open; nil without one
	hangUp  context.CancelFunc
	leaving bool
}

func newClient(makeBot func() Bot, options Options) *client {
	return &client{
		makeBot:     makeBot,
		options:     options,
		firstWait:   firstWait,
		flushAfter:  flushAfter,
		partingWait: partingWait,
		warned:      map[any]bool{},
		games:       map[string]map[int]*seat{},
	}
}

func (c *client) run(ctx context.Context) error {
	var cancel context.CancelFunc
	c.ctx, cancel = context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { c.leave(context.Cause(ctx).Error()) })()
	c.deadline = time.Now().Add(c.options.GiveUp)
	for {
		err := c.converse()
		var lost *lostError
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil:
			c.settle()
			return nil
		case !errors.As(err, &lost):
			return err
		}
		wait := rand.N(min(longestWait, c.firstWait<<min(c.attempt, 10)))
		if time.Now().Add(wait).After(c.deadline) {
			return &UnreachableError{c.options.Server, c.options.GiveUp, lost.trouble}
		}
		if c.attempt == 0 {
			slog.Warn("no referee; trying again", "server", c.options.Server, "trouble", lost.trouble)
		}
		c.attempt++
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// leave says goodbye; the open games go on without this bot.
func (c *client) leave(reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leaving = true
	if c.hangUp == nil {
		return
	}
	if c.outbox == nil {
		c.hangUp()
		return
	}
	goodbye := &pb.Goodbye{Reason: clip(reason, 1024)}
	c.outbox.say(&pb.PlayRequest{Payload: &pb.PlayRequest_Goodbye{Goodbye: goodbye}}, nil)
	time.AfterFunc(c.partingWait, c.hangUp)
}

// settle lets what is still being heard, such as the end of the last game, come to its end.
func (c *client) settle() {
	c.mu.Lock()
	for _, seats := range c.games {
		for _, seat := range seats {
			seat.drop()
		}
	}
	c.mu.Unlock()
	done := make(chan struct{})
	go func() {
		c.busy.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(c.partingWait):
	}
}

// converse opens one stream and follows it to its end: nil after a goodbye, a lostError if it is worth
// dialling again.
func (c *client) converse() error {
	conn, err := c.options.connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	// The goodbye must still get out when the context of the decisions is done.
	ctx, hangUp := context.WithCancel(context.Background())
	defer hangUp()
	c.mu.Lock()
	leaving := c.leaving
	c.hangUp = hangUp
	c.mu.Unlock()
	if leaving {
		return nil
	}
	patience := time.AfterFunc(welcomeWait, hangUp)
	defer patience.Stop()
	stream, err := pb.NewRefereeServiceClient(conn).Play(ctx)
	if err != nil {
		return c.ended(err)
	}
	// An error here is told by Recv, with the status that ended the stream.
	_ = stream.Send(&pb.PlayRequest{Payload: &pb.PlayRequest_Hello{Hello: c.hello()}})
	first, err := stream.Recv()
	if !patience.Stop() && err != nil {
		return &lostError{fmt.Sprintf("no welcome within %v", welcomeWait)}
	}
	if err != nil {
		return c.ended(err)
	}
	switch payload := first.GetPayload().(type) {
	case *pb.PlayResponse_Welcome:
		c.welcomed(payload.Welcome)
		return c.play(ctx, stream, newOutbox(payload.Welcome.GetLimits(), c.flushAfter))
	case *pb.PlayResponse_Refusal:
		return c.refused(payload.Refusal)
	case *pb.PlayResponse_Goodbye:
		return nil
	}
	return &lostError{"its first word was no welcome"}
}

// play writes and reads a stream that is open.
func (c *client) play(ctx context.Context, stream pb.RefereeService_PlayClient, box *outbox) error {
	c.mu.Lock()
	c.outbox = box
	leaving := c.leaving
	c.mu.Unlock()
	if leaving {
		return nil
	}
	written := make(chan struct{})
	ctx, stop := context.WithCancel(ctx)
	go func() {
		defer close(written)
		box.write(ctx, stream)
	}()
	defer func() {
		c.mu.Lock()
		c.outbox = nil
		c.mu.Unlock()
		stop()
		<-written
		// Dialling again begins with a clock of its own.
		c.deadline = time.Now().Add(c.options.GiveUp)
	}()
	for {
		response, err := stream.Recv()
		if err != nil {
			return c.ended(err)
		}
		c.attempt = 0
		switch payload := response.GetPayload().(type) {
		case *pb.PlayResponse_Turns:
			c.turns(payload.Turns.GetTurns(), box)
		case *pb.PlayResponse_Goodbye:
			return nil
		default:
			c.told(response)
		}
	}
}

// ended says what the end of a stream means.
func (c *client) ended(err error) error {
	if errors.Is(err, io.EOF) {
		return &lostError{"the stream ended"}
	}
	said := status.Convert(err)
	switch {
	case said.Code() == codes.Unimplemented:
		return fmt.Errorf("%s is not a Bluke referee: it speaks gRPC, but not bluke.v1", c.options.Server)
	case said.Code() == codes.Internal && strings.HasPrefix(said.Message(), "grpc: failed to unmarshal"):
		return fmt.Errorf("the referee at %s sent bytes that are no message of bluke.v1", c.options.Server)
	case hopeless[said.Code()]:
		return fmt.Errorf("the referee at %s ended the stream: %s (%v)", c.options.Server, said.Message(), said.Code())
	case said.Message() == "":
		return &lostError{said.Code().String()}
	}
	trouble := said.Message()
	if _, cause, found := strings.Cut(trouble, "transport: Error while dialing: "); found {
		trouble = strings.TrimSuffix(cause, `"`)
	}
	return &lostError{trouble}
}

func (c *client) hello() *pb.Hello {
	valid := func(label string) string { return strings.ToValidUTF8(label, "\uFFFD") }
	return &pb.Hello{
		Token:       valid(c.options.Token),
		Name:        valid(c.options.Name),
		Version:     valid(c.options.Version),
		Author:      valid(c.options.Author),
		Sdk:         fmt.Sprintf("go/%s (%s)", Version, runtime.Version()),
		Protocols:   []uint32{protocol},
		MaxGames:    uint32(c.options.MaxGames),
		ResumeKey:   c.resumeKey,
		WantsEvents: c.options.Events,
	}
}

func (c *client) welcomed(welcome *pb.Welcome) {
	if c.attempt > 0 {
		slog.Warn("playing", "server", c.options.Server)
	}
	if c.resumeKey != nil && !welcome.GetResumed() {
		c.forgetGames()
	}
	c.resumeKey = welcome.GetResumeKey()
}

func (c *client) refused(refusal *pb.Refusal) error {
	if c.resumeKey != nil && refusal.GetReason() == pb.RefusalReason_REFUSAL_REASON_RESUME {
		// The seats are lost, the bot is not: it comes back as a new one.
		slog.Warn("the seats were not given back", "reason", refusal.GetMessage())
		c.resumeKey = nil
		c.forgetGames()
		return &lostError{refusal.GetMessage()}
	}
	return &RefusedError{c.options.Server, refusal.GetMessage()}
}

func (c *client) forgetGames() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, seats := range c.games {
		for _, seat := range seats {
			seat.drop()
		}
	}
	clear(c.games)
}

// What the referee says

func (c *client) turns(turns []*pb.Turn, box *outbox) {
	arrived := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	// So that no answer goes out before the last decision of the list has begun.
	whole := box.begin()
	defer whole.end()
	for _, turn := range turns {
		if c.leaving {
			return
		}
		if _, known := questions[turn.GetAsked()]; !known {
			c.warnOnce(turn.GetAsked(), "a question that this SDK does not know was left to the referee",
				"asked", turn.GetAsked())
			continue
		}
		seat := c.seat(turn.GetGameId(), int(turn.GetSeat()), turn.GetView().GetRules())
		seat.turn(turn, arrived, box)
	}
}

// seat finds a seat, or makes one; rules are those of its game.
func (c *client) seat(game string, number int, rules *pb.Rules) *seat {
	seats := c.games[game]
	if seats == nil {
		seats = map[int]*seat{}
		c.games[game] = seats
	}
	if seats[number] == nil {
		seats[number] = &seat{client: c, game: game, number: number, rules: readRules(rules)}
	}
	return seats[number]
}

func (c *client) told(response *pb.PlayResponse) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var read reader
	switch payload := response.GetPayload().(type) {
	case *pb.PlayResponse_GameStarted:
		started := payload.GameStarted
		seat := c.seat(started.GetGameId(), int(started.GetSeat()), started.GetRules())
		game := read.gameStarted(started, seat.rules)
		if read.err == nil {
			seat.hear("game_started", func(bot Bot) { bot.GameStarted(game) })
		}
	case *pb.PlayResponse_HandScored:
		scored := payload.HandScored
		if seat := c.games[scored.GetGameId()][int(scored.GetSeat())]; seat != nil {
			seat.hear("hand_scored", func(bot Bot) { bot.HandScored(readHandScored(scored)) })
		}
	case *pb.PlayResponse_GameOver:
		c.gameOver(payload.GameOver)
	case *pb.PlayResponse_Events:
		for _, event := range payload.Events.GetEvents() {
			if happened := read.event(event); happened != nil && read.err == nil {
				for _, seat := range c.games[event.GetGameId()] {
					seat.hear("event", func(bot Bot) { bot.Event(happened) })
				}
			}
		}
	case *pb.PlayResponse_Notice:
		notice := payload.Notice
		level := slog.LevelWarn
		if notice.GetVerdict() == pb.Verdict_VERDICT_STALE {
			level = slog.LevelDebug
		}
		slog.Log(c.ctx, level, "a move was not taken",
			"game", notice.GetGameId(), "decision", notice.GetDecisionId(), "detail", notice.GetDetail())
	case *pb.PlayResponse_Fault:
		fault := payload.Fault
		slog.Warn("fault", "game", fault.GetGameId(), "seat", fault.GetSeat(), "detail", fault.GetDetail())
	case nil:
		c.warnOnce("payload", "a message that this SDK does not know was skipped")
	}
	if read.err != nil {
		c.warnOnce(fmt.Sprintf("%T", response.GetPayload()), "a message was skipped", "reason", read.err)
	}
}

func (c *client) gameOver(over *pb.GameOver) {
	seats := c.games[over.GetGameId()]
	seat := seats[int(over.GetSeat())]
	if seat == nil {
		// It may be told twice, by a stream that resumes another.
		return
	}
	delete(seats, seat.number)
	if len(seats) == 0 {
		delete(c.games, seat.game)
	}
	seat.drop()
	seat.hear("game_over", func(bot Bot) { bot.GameOver(readGameOver(over)) })
}

func (c *client) warnOnce(key any, text string, values ...any) {
	if !c.warned[key] {
		c.warned[key] = true
		slog.Warn(text, values...)
	}
}
