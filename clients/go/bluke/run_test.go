package bluke

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	pb "bluke-arena/clients/go/gen/bluke/v1"
)

// asBot makes this test's own program a bot, which never ends to think about a play.
const asBot = "BLUKE_TEST_AS_BOT"

func TestMain(m *testing.M) {
	if os.Getenv(asBot) == "" {
		os.Exit(m.Run())
	}
	thinks := func(*PlayView) Card { select {} }
	Run(func() Bot { return &scripted{play: thinks} }, Options{Name: "child", GiveUp: patience})
	os.Exit(0)
}

// process is a bot in a process of its own.
type process struct {
	*exec.Cmd
	t        *testing.T
	out, err bytes.Buffer
}

func spawn(t *testing.T, server string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0]), t: t}
	p.Env = append(os.Environ(), asBot+"=1", "BLUKE_SERVER="+server)
	p.Stdout, p.Stderr = &p.out, &p.err
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	return p
}

// exit waits for the end of the process and its code. Nothing may have been written to standard output.
func (p *process) exit() int {
	p.t.Helper()
	_ = p.Wait()
	if p.out.Len() > 0 {
		p.t.Errorf("on standard output: %s", &p.out)
	}
	return p.ProcessState.ExitCode()
}

// Without an address the process ends with 2 and names the variable.
func TestAMissingAddressIsSaid(t *testing.T) {
	p := spawn(t, "")
	if code := p.exit(); code != 2 || !strings.HasPrefix(p.err.String(), "child: no referee to dial: set BLUKE_SERVER") {
		t.Error(code, &p.err)
	}
}

// A refusal is shown in the referee's words, made harmless, and the process ends with 2.
func TestARefusedProcessEndsWith2(t *testing.T) {
	r := newReferee(t)
	p := spawn(t, r.address)
	s, _ := r.dialled(t)
	s.refuse(pb.RefusalReason_REFUSAL_REASON_HELLO, "the name is \x1b[2J")
	if code := p.exit(); code != 2 ||
		p.err.String() != "child: refused by the referee at "+r.address+`: the name is \u{1b}[2J`+"\n" {
		t.Error(code, &p.err)
	}
}

// After the referee's goodbye the process ends with 0 and has said nothing.
func TestAGoodbyeEndsTheProcessWell(t *testing.T) {
	r := newReferee(t)
	p := spawn(t, r.address)
	s := r.welcomed(t)
	s.ask(bidTurn("a", 0, 1))
	s.move()
	s.goodbye()
	if code := p.exit(); code != 0 || p.err.Len() > 0 {
		t.Error(code, &p.err)
	}
}

// A signal makes the bot say goodbye and leave, even while its own code never comes to an end.
func TestASignalIsAGoodbye(t *testing.T) {
	for sent, name := range map[syscall.Signal]string{syscall.SIGTERM: "SIGTERM", syscall.SIGINT: "SIGINT"} {
		r := newReferee(t)
		p := spawn(t, r.address)
		s := r.welcomed(t)
		s.ask(turn("a", 0, 1, pb.Asked_ASKED_PLAY), bidTurn("b", 0, 1))
		s.move()
		if err := p.Process.Signal(sent); err != nil {
			t.Fatal(err)
		}
		if goodbye := s.hear().GetGoodbye(); goodbye.GetReason() != name {
			t.Error(goodbye)
		}
		s.end <- nil
		if code := p.exit(); code != 128+int(sent) {
			t.Error(name, code, &p.err)
		}
	}
}

// A referee that is not there is looked for until the time is over.
func TestAnAbsentRefereeIsGivenUpOn(t *testing.T) {
	seen := shown(t)
	path := "unix:" + filepath.Join(t.TempDir(), "nobody")
	bot := start(t, &referee{address: path}, scripted{}, func(c *client) { c.options.GiveUp = time.Microsecond })
	err := bot.wait()
	var unreachable *UnreachableError
	if !errors.As(err, &unreachable) || exitCode(err) != 1 || !strings.Contains(err.Error(), "set BLUKE_SERVER") {
		t.Error(err)
	}
	if seen.String() != "" {
		t.Error(seen)
	}
}

// A setting that is wrong is said before anything is dialled.
func TestWrongSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	makeBot := func() Bot { return &scripted{} }
	for _, c := range []struct {
		makeBot func() Bot
		options Options
		says    string
	}{
		{nil, Options{Server: "localhost:1"}, "no bot to play with"},
		{makeBot, Options{Server: "localhost:1", MaxGames: -1}, "MaxGames is -1"},
		{makeBot, Options{Server: "localhost:1", CA: file + "x"}, "cannot read the CA certificate"},
		{makeBot, Options{Server: "localhost:1", CA: file}, "holds no certificate"},
		{makeBot, Options{Server: "%zz"}, "is no address to dial"},
	} {
		err := Play(t.Context(), c.makeBot, c.options)
		var setup *SetupError
		if !errors.As(err, &setup) || exitCode(err) != 2 || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v", c.options, err)
		}
	}
}

// What is on this machine is spoken to in plain, without a proxy.
func TestWhatIsLocal(t *testing.T) {
	for server, local := range map[string]bool{
		"localhost:7373": true, "127.0.0.1:7373": true, "127.9.9.9:1": true, "[::1]:7373": true, "unix:/tmp/x": true,
		"unix-abstract:x": true, "dns:///localhost:1": true, "dns:localhost:1": true,
		"example.org:7373": false, "localhost.example.org:1": false, "10.0.0.1:7373": false, "127.example.org:1": false,
		"localhost": false, "": false,
	} {
		if isLocal(server) != local {
			t.Errorf("%q: local is not %v", server, local)
		}
	}
}

// With a CA the stream is TLS, and a referee whose certificate that root has not signed is not spoken to.
func TestTLS(t *testing.T) {
	shown(t)
	certificate, root := selfSigned(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &referee{address: listener.Addr().String(), streams: make(chan *stream, 16)}
	r.serve(t, listener, grpc.Creds(credentials.NewServerTLSFromCert(&certificate)))
	start(t, r, scripted{}, func(c *client) { c.options.CA = root })
	s := r.welcomed(t)
	s.ask(bidTurn("a", 0, 1))
	s.move()

	_, other := selfSigned(t)
	bot := start(t, r, scripted{}, func(c *client) { c.options.CA, c.options.GiveUp = other, time.Nanosecond })
	if err := bot.wait(); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Error(err)
	}
}

// selfSigned makes a certificate for 127.0.0.1, and a file with it as a root.
func selfSigned(t *testing.T) (certificate tls.Certificate, root string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true,
		BasicConstraintsValid: true, NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(t.TempDir(), "root.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(root, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, root
}

// raw sends any bytes as a message.
type raw struct{}

func (raw) Marshal(message any) ([]byte, error) { return message.([]byte), nil }
func (raw) Unmarshal(_ []byte, _ any) error     { return nil }
func (raw) Name() string                        { return "proto" }

// Bytes that are no message are no reason to dial again.
func TestARefereeThatSaysNoMessage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(
		grpc.ForceServerCodec(raw{}),
		grpc.UnknownServiceHandler(func(_ any, side grpc.ServerStream) error {
			if err := side.SendMsg([]byte{0xff, 0xff}); err != nil {
				return err
			}
			<-side.Context().Done()
			return nil
		}),
	)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	bot := start(t, &referee{address: "unix:" + path}, scripted{})
	if err := bot.wait(); err == nil || !strings.Contains(err.Error(), "no message of bluke.v1") {
		t.Error(err)
	}
}
