package bluke

import (
	"reflect"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/prototext"

	pb "bluke-arena/clients/go/gen/bluke/v1"
)

// example is the turn that the page on the protocol explains.
const example = `
game_id: "5f0c2a917be3d846" seat: 1 decision_id: 9 asked: ASKED_PLAY legal: [48, 52]
decision_left_ms: 2000 bank_left_ms: 59400 again: true
last { decision_id: 6 measured_us: 2603120 excused_us: 3120 applied: 39 excused: true by_referee: true }
view {
  rules {
    seats: 3 variant: VARIANT_STANDARD hands: [4, 3, 2] custom_hands: true bluke_led: BLUKE_LED_FREE
    cut: CUT_RULE_TAP max_hand: 4 last_hand: 2
  }
  totals: [10, -20, 0] hand: 1 size: 4 dealer: 1 trump: TRUMP_CLUBS turned: 7 cards: [5, 48, 52] bids: [1, 2, 0]
  tricks { leader: 2 cards: [19, 15, 39] winner: 2 }
  tricks { leader: 2 cards: [49, 47] }
  tricks_won: [0, 0, 1]
}`

func readView(t *testing.T, text string) View {
	t.Helper()
	var turn pb.Turn
	if err := prototext.Unmarshal([]byte(text), &turn); err != nil {
		t.Fatal(err)
	}
	var read reader
	view := read.view(&turn, readRules(turn.GetView().GetRules()))
	if read.err != nil {
		t.Fatal(read.err)
	}
	return view
}

// Every field of a turn is in the view.
func TestReadView(t *testing.T) {
	view := readView(t, example)
	expected := View{
		Game: "5f0c2a917be3d846", Seat: 1, Decision: 9,
		Rules: &Rules{
			Seats: 3, Variant: Standard, Hands: []int{4, 3, 2}, BlukeLed: LedFree, Cut: CutTap,
			MaxHand: 4, LastHand: 2, CustomHands: true,
		},
		Totals: []int{10, -20, 0}, Hand: 1, Size: 4, Dealer: 1, Trump: Clubs, Turned: 7,
		Cards: []Card{5, 48, 52}, Bids: []int{1, 2, 0},
		Tricks:    []Trick{{2, []Card{19, 15, 39}, 2}, {2, []Card{49, 47}, NoSeat}},
		TricksWon: []int{0, 0, 1},
		Clock:     &Clock{2 * time.Second, 59400 * time.Millisecond},
		Last:      &LastDecision{6, 2603120 * time.Microsecond, 3120 * time.Microsecond, 39, true, true},
		Again:     true,
	}
	if !reflect.DeepEqual(view, expected) {
		t.Errorf("%+v\nis not\n%+v", view, expected)
	}
}

// What is worked out of a view is what a player at the table would say.
func TestWorkedOut(t *testing.T) {
	view := readView(t, example)
	seat, card := view.Winning()
	for _, c := range []struct{ got, want any }{
		{view.MyBid(), 2},
		{view.MyTricks(), 0},
		{view.Needed(), 2},
		{view.NeededBy(0), 1},
		{view.NeededBy(2), 0},
		{view.OnTable(), &view.Tricks[1]},
		{view.Led().String(), "QS"},
		{seat, 2},
		{card.String(), "QS"},
		{view.SeatsAfter(), []int{}},
		{view.Seen(), SetOf(5, 48, 52, 7, 19, 15, 39, 49, 47)},
		{view.Seen().Len(), 9},
		{view.Seen().Has(7), true},
		{view.Seen().Has(8), false},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%v, not %v", c.got, c.want)
		}
	}
}

// Before the first card of a trick there is nothing to follow, and everybody else plays later.
func TestToLead(t *testing.T) {
	view := readView(t, `seat: 1 view { rules { seats: 3 } bids: [1, 1, 1] tricks_won: [0, 2, 0] tricks { leader: 1 } }`)
	seat, card := view.Winning()
	if view.OnTable() != nil || view.Led() != NoCard || seat != NoSeat || card != NoCard {
		t.Error("there is a trick on the table")
	}
	if after := view.SeatsAfter(); !reflect.DeepEqual(after, []int{2, 0}) {
		t.Error(after)
	}
	if view.Needed() != 0 {
		t.Error("a bid that was made needs more")
	}
}

// What is absent before the cut, or for good, is none; so is a trump that is not known.
func TestAbsent(t *testing.T) {
	view := readView(t, `seat: 1 view { rules { seats: 3 variant: 9 } }`)
	if view.Turned != NoCard || view.Trump != NoSuit || view.Clock != nil || view.Last != nil || view.Again {
		t.Errorf("%+v", view)
	}
	if view.Rules.Variant != Variant(9) {
		t.Error(view.Rules.Variant)
	}
	for text, trump := range map[string]Suit{
		"TRUMP_SPADES": Spades, "TRUMP_HEARTS": Hearts, "TRUMP_DIAMONDS": Diamonds, "TRUMP_NONE": NoSuit, "17": NoSuit,
	} {
		if view := readView(t, "view { trump: "+text+" }"); view.Trump != trump {
			t.Errorf("%s is %v", text, view.Trump)
		}
	}
}

// A turn without a view and a referee that counts wrongly break nothing.
func TestHostileView(t *testing.T) {
	view := readView(t, `view { rules { seats: 4000000000 } }`)
	if len(view.SeatsAfter()) != Cards-1 {
		t.Error(len(view.SeatsAfter()))
	}
	view = readView(t, ``)
	if view.SeatsAfter() == nil || len(view.Cards) != 0 {
		t.Errorf("%+v", view)
	}
}

// A card that this SDK does not know is an error that says so.
func TestUnknownCard(t *testing.T) {
	var read reader
	read.view(&pb.Turn{View: &pb.View{Cards: []uint32{3, 54, 99}}}, nil)
	if read.err == nil || read.err.Error() != "the referee names a card that this SDK does not know, 54: update the SDK" {
		t.Error(read.err)
	}
}
