// Package dealing deals the cards of a game again from its seed, and checks that a finished game was
// dealt as it was committed to. The sections that it cites are those of the rules of Bluke.
package dealing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"bluke-arena/clients/go/bluke"
)

// GameSeed is the seed of the games of a match that have a deal number (8.2).
func GameSeed(matchSeed []byte, deal uint64) []byte {
	return keyed(matchSeed, binary.BigEndian.AppendUint64([]byte("bluke/1/game"), deal))
}

// Commitment is what is published of a seed before the first card (8.1).
func Commitment(seed []byte, game string) [sha256.Size]byte {
	return sha256.Sum256(slices.Concat([]byte("bluke/1/commit"), seed, []byte(game)))
}

// Pack is the shuffled pack that a game seed and a label make, its top first (8.3).
func Pack(seed []byte, label []byte) []bluke.Card {
	cards := make([]bluke.Card, bluke.Cards)
	for i := range cards {
		cards[i] = bluke.Card(i)
	}
	words := stream{key: keyed(seed, label)}
	for i := bluke.Cards - 1; i > 0; i-- {
		j := words.below(uint64(i + 1))
		cards[i], cards[j] = cards[j], cards[i]
	}
	return cards
}

// Draw is the draw for the first dealer and the scorekeeper (3), round by round.
func Draw(seed []byte, seats int) (rounds [][]bluke.DrawnCard, dealer, scorekeeper int) {
	pack := Pack(seed, []byte("bluke/1/draw"))
	draw := func(seats []int) []bluke.DrawnCard {
		round := make([]bluke.DrawnCard, len(seats))
		for i, seat := range seats {
			round[i] = bluke.DrawnCard{Seat: seat, Card: pack[i]}
		}
		pack = pack[len(seats):]
		rounds = append(rounds, round)
		return round
	}
	// settle draws again among those that sign makes highest, until one of them is.
	settle := func(round []bluke.DrawnCard, sign int) int {
		for {
			tied := highest(round, sign)
			if len(tied) == 1 || len(tied) > len(pack) {
				return tied[0]
			}
			round = draw(tied)
		}
	}
	all := make([]int, seats)
	for seat := range all {
		all[seat] = seat
	}
	first := draw(all)
	dealer = settle(first, 1)
	scorekeeper = settle(first, -1)
	return rounds, dealer, scorekeeper
}

// highest are the seats whose cards have the highest rank times sign, in their order.
func highest(round []bluke.DrawnCard, sign int) []int {
	var seats []int
	best := 0
	for _, drawn := range round {
		switch strength := sign * drawn.Card.Rank(); {
		case seats == nil || strength > best:
			seats, best = []int{drawn.Seat}, strength
		case strength == best:
			seats = append(seats, drawn.Seat)
		}
	}
	return seats
}

// Hand is a hand as it was dealt.
type Hand struct {
	Hand, Size, Dealer int
	// Cards has those of each seat in the order dealt.
	Cards [][]bluke.Card
	// Cut is how many cards were moved to the bottom: 0 for a tap.
	Cut int
	// Turned is NoCard, and Trump NoSuit, where there is none.
	Turned bluke.Card
	Trump  bluke.Suit
}

// Deal deals a hand and cuts at cut (4.1 to 4.4). The caller has seen to it that seats * size cards can
// be dealt, and that so many can be cut.
func Deal(seed []byte, seats, hand, size, dealer, cut int) Hand {
	pack := Pack(seed, binary.BigEndian.AppendUint32([]byte("bluke/1/hand"), uint32(hand)))
	dealt := Hand{Hand: hand, Size: size, Dealer: dealer, Cards: make([][]bluke.Card, seats), Cut: cut}
	for i, card := range pack[:seats*size] {
		seat := (dealer + 1 + i) % seats
		dealt.Cards[seat] = append(dealt.Cards[seat], card)
	}
	dealt.Turned = bluke.NoCard
	if rest := pack[seats*size:]; len(rest) > 0 {
		dealt.Turned = rest[cut]
		dealt.Trump = dealt.Turned.Suit()
	}
	return dealt
}

func keyed(key, message []byte) []byte {
	hash := hmac.New(sha256.New, key)
	hash.Write(message)
	return hash.Sum(nil)
}

// stream is an endless row of words, made from a key.
type stream struct {
	key    []byte
	blocks uint32
	block  []byte
}

func (s *stream) word() uint64 {
	if len(s.block) == 0 {
		sum := sha256.Sum256(binary.BigEndian.AppendUint32(slices.Clone(s.key), s.blocks))
		s.block = sum[:]
		s.blocks++
	}
	word := binary.BigEndian.Uint32(s.block)
	s.block = s.block[4:]
	return uint64(word)
}

// below is a number below m, each as likely as any other.
func (s *stream) below(m uint64) uint64 {
	const all = 1 << 32
	for {
		if word := s.word(); word < all-all%m {
			return word % m
		}
	}
}
