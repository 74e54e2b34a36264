// Command checkdeal deals the games of replay files again from their seeds, and says whether every card
// was settled before the game began. It trusts nothing but the rules of dealing.
package main

import (
	"fmt"
	"os"

	"bluke-arena/clients/go/dealing"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: checkdeal REPLAY.jsonl...")
		os.Exit(2)
	}
	wrong := 0
	for _, path := range os.Args[1:] {
		hands, err := check(path)
		if err != nil {
			wrong++
			fmt.Printf("%s: %v\n", path, err)
			continue
		}
		fmt.Printf("%s: ok, %d hands\n", path, hands)
	}
	if wrong > 0 {
		os.Exit(1)
	}
}

func check(path string) (hands int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	game, err := dealing.ReadReplay(file)
	if err != nil {
		return 0, err
	}
	return len(game.Hands), game.Check()
}
