// Command rule is the reference bot rule, written in Go: it gives the same answers to the same questions.
package main

import "bluke-arena/clients/go/bluke"

func main() {
	bluke.Run(func() bluke.Bot { return rule{} }, bluke.Options{Name: "rule-go", Version: bluke.Version})
}
