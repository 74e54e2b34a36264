// Package bluke is the Go SDK for bots that play in a Bluke Arena.
//
// A bot is a type that says how to bid and how to play:
//
//	type cautious struct{ bluke.Base }
//
//	func (cautious) Bid(*bluke.BidView) int { return 1 }
//
//	func (cautious) Play(view *bluke.PlayView) bluke.Card { return view.Legal[0] }
//
//	func main() {
//		bluke.Run(func() bluke.Bot { return cautious{} }, bluke.Options{Name: "cautious"})
//	}
//
// Seats, hands and tricks count from 0; seat s+1 sits to the left of seat s. Slices with "one for each
// seat" are in seat order. What a bot is shown may share memory with what it is shown later: it is to
// be read, not written.
package bluke

//go:generate go run ../internal/stubs -I ../../../proto -out .. bluke/v1/game.proto bluke/v1/play.proto

// Version is the version of this SDK.
const Version = "0.1.0"
