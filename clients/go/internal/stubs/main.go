// Command stubs makes the Go code of the protocol from its .proto files. It needs nothing but the Go
// toolchain: the compiler of the files is a Go library, and the two plugins are the tools that go.mod pins.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// parameter takes the module's name off the paths that the go_package options give.
const parameter = "module=bluke-arena"

func main() {
	protos := flag.String("I", "", "folder that the paths of the .proto files begin at")
	out := flag.String("out", ".", "folder to write below")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: stubs -I FOLDER [-out FOLDER] FILE.proto...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := generate(*protos, *out, flag.Args()); err != nil {
		fmt.Fprintf(os.Stderr, "stubs: %v\n", err)
		os.Exit(1)
	}
}

func generate(protos, out string, names []string) error {
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{protos}}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(context.Background(), names...)
	if err != nil {
		return err
	}
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: names, Parameter: proto.String(parameter)}
	told := map[string]bool{}
	for _, file := range files {
		request.ProtoFile = withImports(request.ProtoFile, file, told)
	}
	sent, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	for _, plugin := range []string{"protoc-gen-go", "protoc-gen-go-grpc"} {
		if err := run(plugin, sent, out); err != nil {
			return fmt.Errorf("%s: %w", plugin, err)
		}
	}
	return nil
}

// withImports appends a file behind all that it imports: plugins want them in that order.
func withImports(
	files []*descriptorpb.FileDescriptorProto, file protoreflect.FileDescriptor, told map[string]bool,
) []*descriptorpb.FileDescriptorProto {
	if told[file.Path()] {
		return files
	}
	told[file.Path()] = true
	for i := range file.Imports().Len() {
		files = withImports(files, file.Imports().Get(i).FileDescriptor, told)
	}
	return append(files, protoutil.ProtoFromFileDescriptor(file))
}

func run(plugin string, request []byte, out string) error {
	command := exec.Command("go", "tool", plugin)
	command.Stdin = bytes.NewReader(request)
	command.Stderr = os.Stderr
	answer, err := command.Output()
	if err != nil {
		return err
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(answer, &response); err != nil {
		return err
	}
	if response.Error != nil {
		return errors.New(response.GetError())
	}
	for _, file := range response.File {
		path := filepath.Join(out, filepath.FromSlash(file.GetName()))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(file.GetContent()), 0o666); err != nil {
			return err
		}
	}
	return nil
}
