package org.bluke.sdk;

import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.bluke.v1.PlayRequest;
import org.bluke.v1.PlayResponse;
import org.bluke.v1.RefereeServiceGrpc;

/** One call of Play, as a queue to read from and a method to write with. One thread reads, one writes. */
final class Stream implements ClientResponseObserver<PlayRequest, PlayResponse> {
    /** What comes out of the queue: a message, or at last the status with which the stream ended. */
    private record Heard(PlayResponse message, Status end) {}

    private final BlockingQueue<Heard> inbox = new LinkedBlockingQueue<>();
    private volatile ClientCallStreamObserver<PlayRequest> call;
    private Status end;

    Stream(Channel channel) {
        RefereeServiceGrpc.newStub(channel).play(this);
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<PlayRequest> requestStream) {
        // The next message is asked for when the last one was taken in, so a slow bot slows the referee down.
        requestStream.disableAutoRequestWithInitial(1);
        call = requestStream;
    }

    @Override
    public void onNext(PlayResponse message) {
        inbox.add(new Heard(message, null));
    }

    @Override
    public void onError(Throwable error) {
        inbox.add(new Heard(null, Status.fromThrowable(error)));
    }

    @Override
    public void onCompleted() {
        inbox.add(new Heard(null, Status.OK));
    }

    /** The next message; null at the end of the stream. */
    PlayResponse hear() throws InterruptedException {
        return taken(inbox.take());
    }

    /** The next message; null at the end of the stream, or after so long. */
    PlayResponse hear(long seconds) throws InterruptedException {
        Heard heard = inbox.poll(seconds, TimeUnit.SECONDS);
        return heard == null ? null : taken(heard);
    }

    private PlayResponse taken(Heard heard) {
        if (heard.message == null) {
            end = heard.end;
        } else {
            call.request(1);
        }
        return heard.message;
    }

    /** How the stream ended; null while it has not. */
    Status end() {
        return end;
    }

    /** Writes one message. What is written to a stream that is over goes nowhere: the reader says why. */
    void say(PlayRequest request) {
        // Nothing waits for the stream to be ready: there is never more to say than was asked.
        call.onNext(request);
        if (request.hasGoodbye()) {
            call.onCompleted();
        }
    }

    /** Writes what comes into an outbox until that is closed, in a thread of its own. */
    void writeFrom(Outbox outbox) {
        Thread writer = new Thread(
                () -> {
                    try {
                        for (List<PlayRequest> said = outbox.take(); !said.isEmpty(); said = outbox.take()) {
                            said.forEach(this::say);
                        }
                    } catch (IllegalStateException | InterruptedException cancelled) {
                        // The stream is over; the reader sees it too and says why.
                    }
                },
                "bluke-writer");
        writer.setDaemon(true);
        writer.start();
    }

    void cancel() {
        call.cancel("the bot left", null);
    }
}
