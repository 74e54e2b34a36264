package dealing

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"bluke-arena/clients/go/bluke"
)

// format is the form of replay files that ReadReplay knows.
const format = "bluke-replay/1"

// record is one line of a replay; each type of line fills some of it.
type record struct {
	Type       string
	Format     string
	Game       string
	Commitment string
	Rules      struct {
		Seats int
		Hands []int
		Cut   string
	}
	Rounds      [][]drawnCard
	Dealer      int
	Scorekeeper int
	Hand, Size  int
	Cards       [][]bluke.Card
	Cut         int
	Turned      *bluke.Card
	Trump       *string
	Seed        *string `json:"game_seed"`
}

type drawnCard bluke.DrawnCard

func (d *drawnCard) UnmarshalJSON(text []byte) error {
	pair := []any{&d.Seat, &d.Card}
	if err := json.Unmarshal(text, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return fmt.Errorf("%q is no seat and card", text)
	}
	return nil
}

// ReadReplay reads what Check needs from a replay file.
func ReadReplay(file io.Reader) (*Game, error) {
	game := &Game{}
	lines := json.NewDecoder(file)
	for number := 1; ; number++ {
		line := record{}
		switch err := lines.Decode(&line); {
		case errors.Is(err, io.EOF) && game.ID == "":
			return nil, errors.New("this is no replay: it is empty")
		case errors.Is(err, io.EOF):
			return nil, errors.New("the game was not finished: there is no 'end' line, and so no seed")
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", number, err)
		case number == 1 && line.Format != format:
			return nil, fmt.Errorf("line 1: this is no replay in the form %s", format)
		}
		if err := game.add(&line); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if line.Type == "end" {
			return game, nil
		}
	}
}

func (g *Game) add(line *record) (err error) {
	switch line.Type {
	case "game":
		g.ID = line.Game
		g.Rules.Seats, g.Rules.Hands = line.Rules.Seats, line.Rules.Hands
		if line.Rules.Cut == bluke.CutTap.String() {
			g.Rules.Cut = bluke.CutTap
		}
		g.Commitment, err = hex.DecodeString(line.Commitment)
	case "draw":
		g.Dealer, g.Scorekeeper = line.Dealer, line.Scorekeeper
		for _, round := range line.Rounds {
			drawn := make([]bluke.DrawnCard, len(round))
			for i, card := range round {
				drawn[i] = bluke.DrawnCard(card)
			}
			g.Draw = append(g.Draw, drawn)
		}
	case "hand":
		hand := Hand{line.Hand, line.Size, line.Dealer, line.Cards, line.Cut, bluke.NoCard, bluke.NoSuit}
		if line.Turned != nil {
			hand.Turned = *line.Turned
		}
		if line.Trump != nil {
			hand.Trump, err = bluke.ParseSuit(*line.Trump)
		}
		g.Hands = append(g.Hands, hand)
	case "end":
		if line.Seed == nil {
			return errors.New("the seed of the game is not told")
		}
		g.Seed, err = hex.DecodeString(*line.Seed)
	}
	return err
}
