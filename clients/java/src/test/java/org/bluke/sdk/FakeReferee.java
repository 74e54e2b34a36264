package org.bluke.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.google.protobuf.ByteString;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.bluke.v1.Goodbye;
import org.bluke.v1.Hello;
import org.bluke.v1.Move;
import org.bluke.v1.Moves;
import org.bluke.v1.PlayRequest;
import org.bluke.v1.PlayResponse;
import org.bluke.v1.RefereeServiceGrpc;
import org.bluke.v1.StreamLimits;
import org.bluke.v1.Turn;
import org.bluke.v1.Turns;
import org.bluke.v1.Welcome;

/** A referee that says what the test says, over a real connection. */
final class FakeReferee extends RefereeServiceGrpc.RefereeServiceImplBase implements AutoCloseable {
    private static final long PATIENCE = 30;

    private final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();
    private final Server server;
    private final EventLoopGroup loops;

    /** Listens on a free port of the loopback interface. */
    FakeReferee() throws IOException {
        loops = null;
        server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .addService(this)
                .build()
                .start();
    }

    /** Listens on a Unix socket. */
    FakeReferee(Path socket) throws IOException {
        loops = new EpollEventLoopGroup(1);
        server = NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                .channelType(EpollServerDomainSocketChannel.class)
                .bossEventLoopGroup(loops)
                .workerEventLoopGroup(loops)
                .addService(this)
                .build()
                .start();
    }

    String address() {
        return "127.0.0.1:" + server.getPort();
    }

    @Override
    public StreamObserver<PlayRequest> play(StreamObserver<PlayResponse> bot) {
        Call call = new Call(bot);
        calls.add(call);
        return call;
    }

    /** The next stream that a bot opens. */
    Call accept() throws InterruptedException {
        Call call = calls.poll(PATIENCE, TimeUnit.SECONDS);
        assertNotNull(call, "no bot has dialled");
        return call;
    }

    /** Whether no stream was opened that {@link #accept} has not given. */
    boolean isQuiet() {
        return calls.isEmpty();
    }

    @Override
    public void close() {
        server.shutdownNow();
        if (loops != null) {
            loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        }
    }

    /** One stream. */
    static final class Call implements StreamObserver<PlayRequest> {
        private static final PlayRequest END = PlayRequest.getDefaultInstance();

        private final StreamObserver<PlayResponse> bot;
        private final BlockingQueue<PlayRequest> said = new LinkedBlockingQueue<>();

        private Call(StreamObserver<PlayResponse> bot) {
            this.bot = bot;
        }

        @Override
        public void onNext(PlayRequest request) {
            said.add(request);
        }

        @Override
        public void onError(Throwable error) {
            said.add(END);
        }

        @Override
        public void onCompleted() {
            said.add(END);
        }

        /** The bot's next message. */
        PlayRequest hear() throws InterruptedException {
            PlayRequest request = said.poll(PATIENCE, TimeUnit.SECONDS);
            assertNotNull(request, "the bot says nothing");
            return request;
        }

        /** The hello, answered with a welcome. */
        Hello greet(String key, boolean resumed) throws InterruptedException {
            PlayRequest first = hear();
            assertEquals(PlayRequest.PayloadCase.HELLO, first.getPayloadCase());
            say(PlayResponse.newBuilder()
                    .setWelcome(Welcome.newBuilder()
                            .setProtocol(1)
                            .setLimits(StreamLimits.newBuilder().setMaxNoteBytes(1024).setMaxMessageBytes(65_536))
                            .setResumeKey(ByteString.copyFromUtf8(key))
                            .setResumed(resumed)));
            return first.getHello();
        }

        /** The bot's next moves, which are one message. */
        List<Move> moves() throws InterruptedException {
            PlayRequest request = hear();
            assertEquals(PlayRequest.PayloadCase.MOVES, request.getPayloadCase(), request.toString());
            return request.getMoves().getMovesList();
        }

        /** The bot's next moves, in however many messages, until there are so many. */
        Moves moves(int count) throws InterruptedException {
            Moves.Builder moves = Moves.newBuilder();
            while (moves.getMovesCount() < count) {
                moves.addAllMoves(moves());
            }
            return moves.build();
        }

        void ask(Turn... turns) {
            say(PlayResponse.newBuilder()
                    .setTurns(Turns.newBuilder().addAllTurns(List.of(turns))));
        }

        void say(PlayResponse.Builder response) {
            bot.onNext(response.build());
        }

        /** Ends the stream as one that broke or was ended. */
        void fail(Status status) {
            bot.onError(status.asRuntimeException());
        }

        void end() {
            bot.onCompleted();
        }

        void goodbye() {
            say(PlayResponse.newBuilder().setGoodbye(Goodbye.getDefaultInstance()));
            bot.onCompleted();
        }

        /** Waits until the bot has closed its side. */
        void awaitEnd() throws InterruptedException {
            while (hear() != END) {
                // What is said before is not looked at.
            }
        }
    }
}
