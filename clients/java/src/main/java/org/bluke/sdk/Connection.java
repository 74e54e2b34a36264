package org.bluke.sdk;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.bluke.v1.Goodbye;
import org.bluke.v1.Hello;
import org.bluke.v1.PlayRequest;
import org.bluke.v1.PlayResponse;
import org.bluke.v1.Refusal;
import org.bluke.v1.RefusalReason;
import org.bluke.v1.Welcome;

/**
 * Dials, says hello, follows the stream to its end, and dials again when it broke.
 *
 * <p>The end of a stream is never the end of a game: only the referee's goodbye or refusal, or {@link #stop}, ends {@link
 * #run}.
 */
final class Connection {
    static final String SDK = "java/0.1";

    private static final System.Logger LOG = System.getLogger("org.bluke.sdk");
    private static final int PROTOCOL = 1;
    /** Seconds that a referee which took the connection may take to answer the hello. */
    private static final long WELCOME_WAIT = 15;
    /** Before attempt n a wait is drawn from 0 to {@code FIRST_WAIT * 2^n} ms, but no more than {@code LONGEST_WAIT}. */
    private static final long FIRST_WAIT = 250;

    private static final long LONGEST_WAIT = 5_000;
    /** Milliseconds that the last words of either side may take. */
    static final long PARTING_WAIT = 1_000;

    /** Statuses that dialling again cannot mend. */
    private static final Set<Status.Code> HOPELESS = EnumSet.of(
            // Another stream has taken over, or the referee has given this bot up: dialling would only push it out.
            Status.Code.ABORTED,
            Status.Code.INVALID_ARGUMENT,
            Status.Code.PERMISSION_DENIED,
            Status.Code.RESOURCE_EXHAUSTED,
            Status.Code.UNAUTHENTICATED,
            Status.Code.UNIMPLEMENTED);

    private final Settings settings;
    private final Games games;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private ByteString resumeKey = ByteString.EMPTY;
    private int attempt;
    private long deadline;

    private volatile Stream stream;
    private volatile Outbox outbox;

    Connection(Settings settings, Games games) {
        this.settings = settings;
        this.games = games;
    }

    /**
     * Plays until the referee says goodbye or {@link #stop} is called.
     *
     * @throws BlukeException there was no welcome for too long, or a refusal, or an end that dialling again cannot mend
     */
    void run() throws InterruptedException {
        try {
            playOn();
        } finally {
            games.abandon();
        }
    }

    private void playOn() throws InterruptedException {
        deadline = giveUpAt();
        while (!isStopped()) {
            String trouble = dial();
            if (trouble == null) {
                games.settle(PARTING_WAIT);
                return;
            }
            if (isStopped()) {
                return;
            }
            long most = Math.min(LONGEST_WAIT, FIRST_WAIT << Math.min(attempt, 10));
            long wait = ThreadLocalRandom.current().nextLong(most + 1);
            if (System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(wait) - deadline > 0) {
                throw new BlukeException.Unreachable("no referee at " + settings.server() + " for "
                        + settings.giveUp().toSeconds() + " s (" + trouble
                        + "): start one there, or set BLUKE_SERVER to where it listens");
            }
            if (attempt++ == 0) {
                warn("no referee at " + settings.server() + " (" + trouble + "); trying again");
            }
            stopped.await(wait, TimeUnit.MILLISECONDS);
        }
    }

    /** Says goodbye and lets {@link #run} return; the open games go on without this bot. For any thread. */
    void stop(String reason) {
        games.leave();
        stopped.countDown();
        Stream open = stream;
        Outbox out = outbox;
        if (out != null) {
            out.say(PlayRequest.newBuilder()
                    .setGoodbye(Goodbye.newBuilder().setReason(reason))
                    .build());
        }
        if (open != null) {
            CompletableFuture.delayedExecutor(out == null ? 0 : PARTING_WAIT, TimeUnit.MILLISECONDS)
                    .execute(open::cancel);
        }
    }

    private boolean isStopped() {
        return stopped.getCount() == 0;
    }

    private long giveUpAt() {
        return System.nanoTime() + settings.giveUp().toNanos();
    }

    /** Opens one stream and follows it to its end; null after a goodbye, else what went wrong. */
    private String dial() throws InterruptedException {
        ManagedChannel channel = settings.channel();
        try {
            return converse(new Stream(channel));
        } finally {
            stream = null;
            channel.shutdownNow();
        }
    }

    private String converse(Stream stream) throws InterruptedException {
        this.stream = stream;
        if (isStopped()) {
            return null;
        }
        stream.say(PlayRequest.newBuilder().setHello(hello()).build());
        PlayResponse first = stream.hear(WELCOME_WAIT);
        if (first == null) {
            return stream.end() == null ? "it took the connection but did not answer" : trouble(stream.end());
        }
        switch (first.getPayloadCase()) {
            case WELCOME:
                welcomed(first.getWelcome());
                break;
            case REFUSAL:
                return refused(first.getRefusal());
            case GOODBYE:
                return null;
            default:
                return "its first word was no welcome";
        }
        Outbox out = new Outbox(first.getWelcome().getLimits(), games::isThinking);
        games.answerTo(out);
        outbox = out;
        stream.writeFrom(out);
        if (isStopped()) {
            return null;
        }
        try {
            return read(stream);
        } finally {
            outbox = null;
            games.answerTo(null);
            out.close();
            // Dialling again begins with a clock of its own.
            deadline = giveUpAt();
        }
    }

    private String read(Stream stream) throws InterruptedException {
        while (true) {
            PlayResponse response = stream.hear();
            if (response == null) {
                return trouble(stream.end());
            }
            attempt = 0;
            if (response.hasGoodbye()) {
                return null;
            }
            games.hear(response);
        }
    }

    private Hello hello() {
        return Hello.newBuilder()
                .setToken(settings.token())
                .setName(settings.name())
                .setVersion(settings.version())
                .setAuthor(settings.author())
                .setSdk(SDK)
                .addProtocols(PROTOCOL)
                .setMaxGames(settings.maxGames())
                .setResumeKey(resumeKey)
                .build();
    }

    private void welcomed(Welcome welcome) {
        if (attempt > 0) {
            warn("playing at " + settings.server());
        }
        if (!resumeKey.isEmpty() && !welcome.getResumed()) {
            games.forget();
        }
        resumeKey = welcome.getResumeKey();
    }

    private String refused(Refusal refusal) {
        if (!resumeKey.isEmpty() && refusal.getReason() == RefusalReason.REFUSAL_REASON_RESUME) {
            // The seats are lost, the bot is not: it comes back as a new one.
            warn("the seats were not given back: " + refusal.getMessage());
            resumeKey = ByteString.EMPTY;
            games.forget();
            return refusal.getMessage();
        }
        throw new BlukeException.Refused(
                "refused by the referee at " + settings.server() + ": " + refusal.getMessage());
    }

    private String trouble(Status status) {
        String why = "";
        for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidProtocolBufferException) {
                throw new BlukeException(
                        "the referee at " + settings.server() + " sent bytes that are no message of bluke.v1");
            }
            if (why.isEmpty() && cause.getMessage() != null) {
                why = ": " + cause.getMessage();
            }
        }
        String text = status.getDescription() == null ? status.getCode().toString() : status.getDescription();
        if (status.getCode() == Status.Code.UNIMPLEMENTED) {
            throw new BlukeException(
                    settings.server() + " is not a Bluke referee: it speaks gRPC, but not bluke.v1");
        }
        if (HOPELESS.contains(status.getCode())) {
            throw new BlukeException("the referee at " + settings.server() + " ended the stream: " + text + " ("
                    + status.getCode() + ")");
        }
        if (status.isOk()) {
            return "the stream ended";
        }
        return text + why;
    }

    private static void warn(String text) {
        LOG.log(System.Logger.Level.WARNING, () -> text);
    }
}
