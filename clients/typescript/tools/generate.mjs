// Makes gen/ from the protocol's own files: the types of its messages, and one module that holds its
// descriptor, so that a built bot needs nothing outside of this folder.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import protobuf from "protobufjs";

const PROTO = "../../proto";
const MAIN = "bluke/v1/play.proto";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
rmSync("gen", { recursive: true, force: true });
mkdirSync("gen");

execFileSync(
  "proto-loader-gen-types",
  [
    "--longs=Number",
    "--enums=String",
    "--defaults",
    "--oneofs",
    "--grpcLib=@grpc/grpc-js",
    "--importFileExtension=.js",
    `--includeDirs=${PROTO}`,
    "--outDir=gen",
    MAIN,
  ],
  { stdio: ["ignore", "ignore", "inherit"] },
);

const root = new protobuf.Root();
root.resolvePath = (_origin, target) => `${PROTO}/${target}`;
root.loadSync(MAIN);
const json = JSON.stringify(root.toJSON());
writeFileSync("gen/descriptor.ts", `export const descriptor: string = ${JSON.stringify(json)};\n`);
