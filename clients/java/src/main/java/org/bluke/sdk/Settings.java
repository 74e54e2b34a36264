package org.bluke.sdk;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ManagedChannelRegistry.ProviderNotFoundException;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** All that a client needs to know besides the bot; {@link BlukeClient} documents each. */
record Settings(
        String server,
        String token,
        String name,
        String version,
        String author,
        int maxGames,
        int threads,
        String ca,
        boolean insecure,
        Duration giveUp) {

    /**
     * Opens a channel: TLS with the CA given, none on this machine, else TLS with the system's roots.
     *
     * @throws BlukeException.Setup the CA cannot be read or is none, or the address is none
     */
    ManagedChannel channel() {
        boolean plain = ca.isEmpty() && (insecure || isLocal());
        try {
            ManagedChannelBuilder<?> builder = Grpc.newChannelBuilder(target(), credentials(plain))
                    .keepAliveTime(10, TimeUnit.SECONDS)
                    .keepAliveTimeout(5, TimeUnit.SECONDS)
                    .keepAliveWithoutCalls(true)
                    .disableRetry()
                    // A message is only put into a queue, which needs no thread of its own.
                    .directExecutor();
            if (plain) {
                // A proxy for the web would be asked for this very machine.
                builder.proxyDetector(address -> null);
            }
            return builder.build();
        } catch (IllegalArgumentException | ProviderNotFoundException error) {
            throw new BlukeException.Setup("cannot dial '" + server + "'"
                    + (ca.isEmpty() ? "" : " with the CA certificate " + ca + " (BLUKE_CA)")
                    + ": set BLUKE_SERVER to host:port, such as localhost:7373, or on Linux to unix:/path ("
                    + error.getMessage() + ")");
        }
    }

    private ChannelCredentials credentials(boolean plain) {
        if (plain) {
            return InsecureChannelCredentials.create();
        }
        if (ca.isEmpty()) {
            return TlsChannelCredentials.create();
        }
        try {
            return TlsChannelCredentials.newBuilder().trustManager(new File(ca)).build();
        } catch (IOException error) {
            throw new BlukeException.Setup(
                    "cannot read the CA certificate " + ca + ": " + error.getMessage() + " (BLUKE_CA)");
        }
    }

    /** The address as gRPC for Java takes it: where others also take dns:host:port, it fails. */
    private String target() {
        return server.startsWith("dns:") && !server.startsWith("dns:/") ? server.substring("dns:".length()) : server;
    }

    boolean isLocal() {
        String target = target();
        if (target.startsWith("unix:")) {
            return true;
        }
        String address = target.startsWith("dns:///") ? target.substring("dns:///".length()) : target;
        int colon = address.lastIndexOf(':');
        String host = colon < 0 ? address : address.substring(0, colon);
        return host.equals("localhost") || host.equals("[::1]") || host.startsWith("127.");
    }
}
