package bluke

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// RefusedError says that the referee refused the hello.
type RefusedError struct {
	Server string
	// Message is in the referee's own words: what is wrong and what to do about it.
	Message string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("refused by the referee at %s: %s", e.Server, e.Message)
}

// SetupError says that an option or environment variable is missing or wrong.
type SetupError struct{ Message string }

func (e *SetupError) Error() string { return e.Message }

// UnreachableError says that no referee answered for longer than the bot was told to try.
type UnreachableError struct {
	Server  string
	For     time.Duration
	Trouble string // what went wrong the last time
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("no referee at %s for %v (%s): start one there, or set BLUKE_SERVER to where it listens",
		e.Server, e.For, e.Trouble)
}

// lostError is a stream that ended in a way that dialling again may mend.
type lostError struct{ trouble string }

func (e *lostError) Error() string { return e.trouble }

// exitCode is the one of a process that ends with err.
func exitCode(err error) int {
	var refused *RefusedError
	var setup *SetupError
	if errors.As(err, &refused) || errors.As(err, &setup) {
		return 2
	}
	return 1
}

// visible makes text from elsewhere fit for a terminal: what would not be seen is spelled out.
func visible(text string) string {
	var seen strings.Builder
	for _, char := range strings.ToValidUTF8(text, "\uFFFD") {
		if unicode.IsPrint(char) {
			seen.WriteRune(char)
		} else {
			fmt.Fprintf(&seen, `\u{%x}`, char)
		}
	}
	return seen.String()
}
