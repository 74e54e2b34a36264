package bluke

import "fmt"

// The enums have the numbers of the protocol. A number that is not named here comes from a newer
// referee: have a default branch in a switch over any of them.

// Variant says which form of the game is played.
type Variant int32

// The variants.
const (
	Standard  Variant = 1
	NewJersey Variant = 2
)

func (v Variant) String() string { return enumName("variant", int32(v), "standard", "new_jersey") }

// BlukeLed says what a led Bluke asks of the other seats; it has no meaning in the New Jersey variant.
type BlukeLed int32

// What a led Bluke may ask for.
const (
	LedFree  BlukeLed = 1 // every other seat may play anything
	LedTrump BlukeLed = 2 // a seat that holds a trump plays a trump or a Bluke
)

func (b BlukeLed) String() string { return enumName("bluke_led", int32(b), "free", "trump") }

// CutRule says who cuts.
type CutRule int32

// Who may cut: the referee taps every time, or the seat left of the dealer is asked.
const (
	CutTap    CutRule = 1
	CutPlayer CutRule = 2
)

func (c CutRule) String() string { return enumName("cut", int32(c), "tap", "player") }

// Outcome says what became of a bid.
type Outcome int32

// The outcomes: set, made with overtricks, made exactly.
const (
	BidSet     Outcome = 1
	Overtricks Outcome = 2
	Perfect    Outcome = 3
)

func (o Outcome) String() string { return enumName("outcome", int32(o), "S", "O", "P") }

// Policy says how faults are treated.
type Policy int32

// The policies: a fixed legal move is made and the fault counted, or the first one ends the game.
const (
	Lenient Policy = 1
	Strict  Policy = 2
)

func (p Policy) String() string { return enumName("policy", int32(p), "lenient", "strict") }

// Status says how a game ended.
type Status int32

// The endings: every hand was played, a fault ended it, it counts for nobody.
const (
	Complete  Status = 1
	Forfeited Status = 2
	Void      Status = 3
)

func (s Status) String() string { return enumName("status", int32(s), "complete", "forfeited", "void") }

// FaultKind says what a seat did wrong.
type FaultKind int32

// The faults.
const (
	Illegal      FaultKind = 1
	Timeout      FaultKind = 2
	Disconnected FaultKind = 3
	Protocol     FaultKind = 4
	Crash        FaultKind = 5
)

func (f FaultKind) String() string {
	return enumName("fault", int32(f), "illegal", "timeout", "disconnected", "protocol", "crash")
}

// enumName is the name of number, of which the first belongs to 1.
func enumName(kind string, number int32, names ...string) string {
	if number < 1 || int(number) > len(names) {
		return fmt.Sprintf("%s(%d)", kind, number)
	}
	return names[number-1]
}
