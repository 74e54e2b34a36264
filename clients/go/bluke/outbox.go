package bluke

import (
	"context"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	pb "bluke-arena/clients/go/gen/bluke/v1"
)

const (
	// mostMoves keeps a gathered message well below the referee's limit on one; more is worth no delay.
	mostMoves = 64
	// moveBytes is a move besides its game id and note: tags, lengths, decision id and answer.
	moveBytes = 32
	// flushAfter is how long an answer waits for others of its batch, so that slow ones hold up none.
	flushAfter = 2 * time.Millisecond
)

// outbox gathers what a bot has to say on one stream until it is written. The cost of a stream is by
// message, not by move: the answers to a list of turns go out together, if they come soon.
type outbox struct {
	noteBytes, messageBytes int
	flushAfter              time.Duration
	// wake has a token when there is something to say, and when nothing more is worth waiting for.
	wake chan struct{}

	mu       sync.Mutex
	requests []*pb.PlayRequest
	moves    *pb.Moves // of the last request, if there is room for another
	room     int
	waiting  int // decisions being made that are worth waiting for
	round    int // decisions of earlier rounds took too long and are not
}

// ticket is for a decision being made that may be worth waiting for; nil is for none.
type ticket struct {
	box   *outbox // nil when the waiting is over
	round int
}

func newOutbox(limits *pb.StreamLimits, flushAfter time.Duration) *outbox {
	box := &outbox{
		noteBytes:  int(limits.GetMaxNoteBytes()),
		flushAfter: flushAfter,
		wake:       make(chan struct{}, 1),
	}
	if box.noteBytes == 0 {
		box.noteBytes = 1024
	}
	// Half of what is allowed, so that the estimate of a move's size need not be exact.
	box.messageBytes = int(limits.GetMaxMessageBytes()) / 2
	if box.messageBytes == 0 {
		box.messageBytes = 32_768
	}
	return box
}

// begin tells that a decision is being made.
func (o *outbox) begin() *ticket {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting++
	return &ticket{o, o.round}
}

// end ends the waiting for a decision, if nothing that was said of it has done so.
func (t *ticket) end() {
	if box := t.box; box != nil {
		box.mu.Lock()
		defer box.mu.Unlock()
		box.settle(t)
	}
}

// move says the move of a decision. The move itself stays as it is, since it may have to be said again.
func (o *outbox) move(move *pb.Move, of *ticket) {
	size := moveBytes + len(move.GameId)
	if move.Note != nil {
		note := clip(move.GetNote(), o.noteBytes)
		size += len(note)
		move = &pb.Move{GameId: move.GameId, DecisionId: move.DecisionId, Answer: move.Answer, Note: &note}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.moves == nil || len(o.moves.Moves) == mostMoves || o.room < size {
		o.moves, o.room = &pb.Moves{}, o.messageBytes
		o.add(&pb.PlayRequest{Payload: &pb.PlayRequest_Moves{Moves: o.moves}})
	}
	o.moves.Moves = append(o.moves.Moves, move)
	o.room -= size
	o.settle(of)
}

// say says anything else.
func (o *outbox) say(request *pb.PlayRequest, of *ticket) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.moves = nil
	o.add(request)
	o.settle(of)
	if request.GetGoodbye() != nil {
		o.waitNoMore()
	}
}

// settle takes one from the decisions to wait for.
func (o *outbox) settle(of *ticket) {
	if of == nil || of.box != o {
		return
	}
	of.box = nil
	if of.round == o.round {
		o.waiting--
		if o.waiting == 0 {
			o.rouse()
		}
	}
}

func (o *outbox) waitNoMore() {
	o.waiting = 0
	o.round++
}

func (o *outbox) add(request *pb.PlayRequest) {
	o.requests = append(o.requests, request)
	o.rouse()
}

func (o *outbox) rouse() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// write writes to the stream until it ends or a goodbye was said.
func (o *outbox) write(ctx context.Context, stream pb.RefereeService_PlayClient) {
	for {
		requests := o.take(ctx)
		if requests == nil {
			return
		}
		for _, request := range requests {
			if stream.Send(request) != nil {
				// The stream is over; who reads it sees it too and says why.
				return
			}
			if request.GetGoodbye() != nil {
				_ = stream.CloseSend()
				return
			}
		}
	}
}

// take waits for something to say, and a little for the rest of it; nil when ctx is done.
func (o *outbox) take(ctx context.Context) []*pb.PlayRequest {
	var patience *time.Timer
	var over <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-over:
			o.mu.Lock()
			o.waitNoMore()
			o.mu.Unlock()
		case <-o.wake:
		}
		o.mu.Lock()
		requests, waiting := o.requests, o.waiting
		if len(requests) > 0 && waiting == 0 {
			o.requests, o.moves = nil, nil
			o.mu.Unlock()
			if patience != nil {
				patience.Stop()
			}
			return requests
		}
		o.mu.Unlock()
		if len(requests) > 0 && patience == nil {
			patience = time.NewTimer(o.flushAfter)
			over = patience.C
		}
	}
}

// clip cuts text to at most most bytes of valid UTF-8.
func clip(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
