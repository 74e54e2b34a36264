package bluke

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

// Options say where the referee is and who the bot is; what is left out comes from the environment.
type Options struct {
	// Name, Version and Author are labels to be shown, at most 64 bytes each. Without a name the one
	// that belongs to the token is shown.
	Name, Version, Author string
	// Server is the referee, as host:port or unix:/path; BLUKE_SERVER if it is left out.
	Server string
	// Token says who the bot is; BLUKE_TOKEN if it is left out.
	Token string
	// MaxGames is how many games to play at once; 0 leaves that to the referee.
	MaxGames int
	// Events asks for every public event (Bot.Event).
	Events bool
	// CA is a file with the root certificate (PEM) of the referee; BLUKE_CA if it is left out.
	CA string
	// Insecure speaks without TLS to a referee on another machine, as BLUKE_INSECURE=1 does.
	Insecure bool
	// GiveUp is how long to look for a referee; 0 for a minute.
	GiveUp time.Duration
}

// Run plays with the bots that makeBot makes, one for each seat in each game, until the referee says
// goodbye. It writes nothing to standard output. On SIGINT and SIGTERM it says goodbye and leaves,
// whatever a bot is doing; a second signal ends the process at once.
//
// The process ends with 1 when no referee answered or the stream cannot be mended, with 2 when the
// referee refused the bot or a setting is wrong, with a sentence on standard error, and with 128 plus
// the signal's number after a signal.
func Run(makeBot func() Bot, options Options) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		caught := (<-signals).(syscall.Signal)
		signal.Reset(syscall.SIGINT, syscall.SIGTERM)
		cancel(caughtError{caught})
	}()
	err := Play(ctx, makeBot, options)
	var caught caughtError
	switch {
	case errors.As(err, &caught):
		os.Exit(128 + int(caught.signal))
	case err != nil:
		who := options.Name
		if who == "" {
			who = "bluke"
		}
		fmt.Fprintf(os.Stderr, "%s: %s\n", visible(who), visible(err.Error()))
		os.Exit(exitCode(err))
	}
}

// caughtError is the signal that made a bot leave.
type caughtError struct{ signal syscall.Signal }

func (e caughtError) Error() string {
	switch e.signal {
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	}
	return e.signal.String()
}

// Play plays as Run does, inside a program of another kind. It returns nil after the referee's goodbye.
// When ctx is done it says goodbye and returns the cause. Else the error is a *SetupError, a
// *RefusedError, an *UnreachableError, or one that tells how the referee ended the stream for good.
func Play(ctx context.Context, makeBot func() Bot, options Options) error {
	if err := options.complete(); err != nil {
		return err
	}
	if makeBot == nil {
		return &SetupError{"no bot to play with: pass a function that makes one"}
	}
	return newClient(makeBot, options).run(ctx)
}

func (o *Options) complete() error {
	fill := func(value *string, variable string) {
		if *value == "" {
			*value = os.Getenv(variable)
		}
	}
	fill(&o.Server, "BLUKE_SERVER")
	fill(&o.Token, "BLUKE_TOKEN")
	fill(&o.CA, "BLUKE_CA")
	o.Insecure = o.Insecure || os.Getenv("BLUKE_INSECURE") == "1"
	if o.GiveUp == 0 {
		o.GiveUp = time.Minute
	}
	if o.Server == "" {
		return &SetupError{"no referee to dial: set BLUKE_SERVER to its address, such as localhost:7373"}
	}
	if o.MaxGames < 0 || o.MaxGames > math.MaxUint32 {
		return &SetupError{fmt.Sprintf("MaxGames is %d: it must be a number of games, or 0", o.MaxGames)}
	}
	return nil
}

// connect makes a connection, which is dialled when it is first used: TLS with the CA given, none on
// this machine, else TLS with the system's roots.
func (o *Options) connect() (*grpc.ClientConn, error) {
	security, err := o.security()
	if err != nil {
		return nil, err
	}
	dial := []grpc.DialOption{
		grpc.WithTransportCredentials(security),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: 10 * time.Second, Timeout: 5 * time.Second, PermitWithoutStream: true,
		}),
		grpc.WithDisableRetry(),
		grpc.WithDisableServiceConfig(),
	}
	if isLocal(o.Server) {
		// A proxy for the web, common in the environment, would be asked for this very machine.
		dial = append(dial, grpc.WithNoProxy())
	}
	conn, err := grpc.NewClient(o.Server, dial...)
	if err != nil {
		return nil, &SetupError{fmt.Sprintf("%s is no address to dial: %v (BLUKE_SERVER)", o.Server, err)}
	}
	return conn, nil
}

func (o *Options) security() (credentials.TransportCredentials, error) {
	if o.CA == "" {
		if o.Insecure || isLocal(o.Server) {
			return insecure.NewCredentials(), nil
		}
		return credentials.NewTLS(&tls.Config{}), nil
	}
	pem, err := os.ReadFile(o.CA)
	if err != nil {
		return nil, &SetupError{fmt.Sprintf("cannot read the CA certificate: %v (BLUKE_CA)", err)}
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, &SetupError{fmt.Sprintf("%s holds no certificate in PEM (BLUKE_CA)", o.CA)}
	}
	return credentials.NewTLS(&tls.Config{RootCAs: roots}), nil
}

func isLocal(server string) bool {
	if strings.HasPrefix(server, "unix:") || strings.HasPrefix(server, "unix-abstract:") {
		return true
	}
	server = strings.TrimPrefix(strings.TrimPrefix(server, "dns:"), "///")
	host, _, err := net.SplitHostPort(server)
	if err != nil {
		return false
	}
	address := net.ParseIP(host)
	return host == "localhost" || address.IsLoopback()
}
