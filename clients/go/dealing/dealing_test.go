package dealing

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bluke-arena/clients/go/bluke"
)

// vectors are the worked cases of the whole project.
type vectors struct {
	Games []struct {
		vector
		GameSeed   string `json:"game_seed"`
		Game       string
		Commitment string
		DrawPack   []bluke.Card `json:"draw_pack"`
		Schedule   []int
		Hands      []vector
	}
	SpecialDeals []vector `json:"special_deals"`
	Draws        []vector `json:"draws_with_ties"`
}

type vector struct {
	MatchSeed   string `json:"match_seed_text"`
	Deal        uint64
	Seats       int
	Dealer      int
	Scorekeeper int
	Rounds      [][]drawnCard
	Hand, Size  int
	Cut         int
	Cards       [][]bluke.Card
	Remaining   []bluke.Card
	Turned      *bluke.Card
	Trump       string
}

func (v *vector) seed() []byte { return GameSeed([]byte(v.MatchSeed), v.Deal) }

func (v *vector) rounds() [][]bluke.DrawnCard {
	rounds := make([][]bluke.DrawnCard, len(v.Rounds))
	for i, round := range v.Rounds {
		for _, drawn := range round {
			rounds[i] = append(rounds[i], bluke.DrawnCard(drawn))
		}
	}
	return rounds
}

func (v *vector) dealt() Hand {
	hand := Hand{v.Hand, v.Size, v.Dealer, v.Cards, v.Cut, bluke.NoCard, bluke.NoSuit}
	if v.Turned != nil {
		hand.Turned = *v.Turned
	}
	if v.Trump != "" {
		hand.Trump, _ = bluke.ParseSuit(v.Trump)
	}
	return hand
}

func readVectors(t *testing.T) (read vectors) {
	t.Helper()
	text, err := os.ReadFile("../../../tests/vectors/dealing.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Games) == 0 || len(read.SpecialDeals) == 0 || len(read.Draws) == 0 {
		t.Fatal("the vectors have no cases")
	}
	return read
}

// Seeds, commitments, packs, draws and hands are those of the worked cases.
func TestGames(t *testing.T) {
	for _, game := range readVectors(t).Games {
		seed := game.seed()
		if hex.EncodeToString(seed) != game.GameSeed {
			t.Errorf("%s: the seed is %x", game.Game, seed)
		}
		if commitment := Commitment(seed, game.Game); hex.EncodeToString(commitment[:]) != game.Commitment {
			t.Errorf("%s: the commitment is %x", game.Game, commitment)
		}
		if pack := Pack(seed, []byte("bluke/1/draw")); !slices.Equal(pack, game.DrawPack) {
			t.Errorf("%s: the pack is %v", game.Game, pack)
		}
		checkDraw(t, &game.vector)
		for _, hand := range game.Hands {
			if hand.Size != game.Schedule[hand.Hand] {
				t.Errorf("%s: hand %d has %d cards", game.Game, hand.Hand, hand.Size)
			}
			checkHand(t, seed, game.Seats, hand.dealt())
		}
	}
}

// Whole packs and cuts are those of the worked cases, and so is what is left before the cut.
func TestSpecialDeals(t *testing.T) {
	for _, deal := range readVectors(t).SpecialDeals {
		checkHand(t, deal.seed(), deal.Seats, deal.dealt())
		label := binary.BigEndian.AppendUint32([]byte("bluke/1/hand"), uint32(deal.Hand))
		if rest := Pack(deal.seed(), label)[deal.Seats*deal.Size:]; !slices.Equal(rest, deal.Remaining) {
			t.Errorf("%s %d: %v is left", deal.MatchSeed, deal.Deal, rest)
		}
	}
}

// Ties are drawn again among the tied, as in the worked cases.
func TestDrawsWithTies(t *testing.T) {
	for _, draw := range readVectors(t).Draws {
		checkDraw(t, &draw)
	}
}

func checkDraw(t *testing.T, v *vector) {
	t.Helper()
	rounds, dealer, scorekeeper := Draw(v.seed(), v.Seats)
	if !reflect.DeepEqual(rounds, v.rounds()) || dealer != v.Dealer || scorekeeper != v.Scorekeeper {
		t.Errorf("%s %d: %v, %d deals, %d keeps the score", v.MatchSeed, v.Deal, rounds, dealer, scorekeeper)
	}
}

func checkHand(t *testing.T, seed []byte, seats int, hand Hand) {
	t.Helper()
	if dealt := Deal(seed, seats, hand.Hand, hand.Size, hand.Dealer, hand.Cut); !reflect.DeepEqual(dealt, hand) {
		t.Errorf("%+v\nis not\n%+v", dealt, hand)
	}
}

// example is a whole replay of a game of three seats, as far as dealing goes.
func example(t *testing.T) string {
	t.Helper()
	seed := GameSeed([]byte("example"), 4)
	seats, sizes, cuts := 3, []int{2, 18, 1}, []int{5, 0, 50}
	commitment := Commitment(seed, "g")
	rounds, dealer, scorekeeper := Draw(seed, seats)
	var text strings.Builder
	add := func(format string, values ...any) {
		for i, value := range values {
			written, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			values[i] = written
		}
		fmt.Fprintf(&text, format+"\n", values...)
	}
	var drawn [][][2]any
	for _, round := range rounds {
		pairs := make([][2]any, len(round))
		for i, card := range round {
			pairs[i] = [2]any{card.Seat, card.Card}
		}
		drawn = append(drawn, pairs)
	}
	add(`{"type":"game","format":"bluke-replay/1","game":"g","commitment":%s,"rules":{"seats":%s,"hands":%s,"cut":"player"}}`,
		hex.EncodeToString(commitment[:]), seats, sizes)
	add(`{"type":"draw","rounds":%s,"dealer":%s,"scorekeeper":%s}`, drawn, dealer, scorekeeper)
	for i, size := range sizes {
		hand := Deal(seed, seats, i, size, (dealer+i)%seats, cuts[i])
		var turned, trump any
		if hand.Turned != bluke.NoCard {
			turned = hand.Turned
		}
		if hand.Trump != bluke.NoSuit {
			trump = hand.Trump.String()
		}
		add(`{"type":"hand","hand":%s,"size":%s,"dealer":%s,"cards":%s,"cut":%s,"turned":%s,"trump":%s}`,
			i, size, hand.Dealer, hand.Cards, hand.Cut, turned, trump)
		add(`{"type":"play","hand":%s,"seat":0,"card":"2C","ms":null}`, i)
	}
	add(`{"type":"end","status":"complete","game_seed":%s}`, hex.EncodeToString(seed))
	return text.String()
}

func check(text string) error {
	game, err := ReadReplay(strings.NewReader(text))
	if err != nil {
		return err
	}
	return game.Check()
}

// A game that was dealt from its seed is right.
func TestCheck(t *testing.T) {
	if err := check(example(t)); err != nil {
		t.Error(err)
	}
}

// Whatever part of the dealing is not what the seed makes of it, the check says which.
func TestCheckFindsWhatIsWrong(t *testing.T) {
	text := example(t)
	for _, c := range []struct{ old, new, says string }{
		{`"game":"g"`, `"game":"h"`, "committed to"},
		{`"seats":3`, `"seats":4`, "the draw is"},
		{`"seats":3`, `"seats":1`, "2 to 15"},
		{`,"scorekeeper":`, `,"scorekeeper":1`, "scorekeeper"},
		{`]]],"dealer":`, `]]],"dealer":1`, "first dealer"},
		{`"hands":[2,18,1]`, `"hands":[2,18]`, "3 hands were dealt, not 2"},
		{`"hands":[2,18,1]`, `"hands":[2,19,1]`, "hand 1: 19 cards for each of 3 seats cannot be dealt"},
		{`"hands":[2,18,1]`, `"hands":[0,18,1]`, "hand 0: 0 cards"},
		{`"cut":5`, `"cut":6`, "hand 0: the card turned up"},
		{`"cut":5`, `"cut":48`, "hand 0: a cut of 48 cards cannot be made"},
		{`"cut":"player"`, `"cut":"tap"`, "hand 0: 5 cards were cut"},
		{`"hand":1,"size":18`, `"hand":2,"size":18`, "hand 1: its number is 2"},
		{`"hand":1,"size":18`, `"hand":1,"size":17`, "hand 1: the size"},
		{`"size":1,"dealer":`, `"size":1,"dealer":3`, "hand 2: the dealer"},
		{`"cut":0,"turned":null`, `"cut":0,"turned":"2C"`, "hand 1: the card turned up is 2C, not --"},
		{`"turned":null,"trump":null`, `"turned":null,"trump":"S"`, "hand 1: the trump is S, not -"},
		{`"cards":[[`, `"cards":[["2C",`, "hand 0: seat 0 has the cards"},
		{`"cards":[[`, `"cards":[[],[`, "hand 0: 4 seats have cards"},
		{`"game_seed":"`, `"game_seed":"00`, "the seed has 33 bytes"},
		{`"game_seed":"`, `"game_seed":"0`, "line 9: encoding/hex"},
		{`"game_seed"`, `"other"`, "line 9: the seed of the game is not told"},
		{`"type":"end"`, `"type":"else"`, "not finished"},
		{`bluke-replay/1`, `bluke-replay/2`, "line 1: this is no replay"},
		{`"trump":null`, `"trump":"X"`, "line 5: \"X\" is not a suit"},
		{`"cards":[["`, `"cards":[["X`, "line 3: \"X"},
		{`"rounds":[[[`, `"rounds":[[[0],[`, "line 2: \"[0]\" is no seat and card"},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		if err := check(changed); changed == text || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s -> %s: %v", c.old, c.new, err)
		}
	}
	if err := check(""); err == nil {
		t.Error("nothing at all is right")
	}
}
