// The service of the protocol, made from the descriptor that the build generated.

import { Client, type ClientDuplexStream, type ClientOptions, type ChannelCredentials } from "@grpc/grpc-js";
import { fromJSON } from "@grpc/proto-loader";

import { descriptor } from "../gen/descriptor.js";
import type { PlayRequest } from "../gen/bluke/v1/PlayRequest.js";
import type { PlayResponse__Output } from "../gen/bluke/v1/PlayResponse.js";
import type { RefereeServiceDefinition } from "../gen/bluke/v1/RefereeService.js";

type Descriptor = Parameters<typeof fromJSON>[0];

/** `bluke.v1.RefereeService`, for a client or a server. Enum values that are not known stay numbers. */
export const refereeService = fromJSON(JSON.parse(descriptor) as Descriptor, {
  longs: Number,
  enums: String,
  defaults: true,
  oneofs: true,
})["bluke.v1.RefereeService"] as unknown as RefereeServiceDefinition;

/** Stands for bytes that are no message; gRPC itself would end the stream as if it could be dialled again. */
export const UNREADABLE = Symbol("unreadable");

export type Stream = ClientDuplexStream<PlayRequest, PlayResponse__Output | typeof UNREADABLE>;

/** One channel to a referee, for one stream. */
export class Referee extends Client {
  constructor(address: string, credentials: ChannelCredentials, options: ClientOptions) {
    super(address, credentials, options);
  }

  play(): Stream {
    const { path, requestSerialize, responseDeserialize } = refereeService.Play;
    return this.makeBidiStreamRequest(path, requestSerialize, (bytes) => {
      try {
        return responseDeserialize(bytes);
      } catch {
        return UNREADABLE;
      }
    });
  }
}
