package org.bluke.sdk;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.bluke.v1.BotError;
import org.bluke.v1.FaultNotice;
import org.bluke.v1.Move;
import org.bluke.v1.MoveNotice;
import org.bluke.v1.PlayRequest;
import org.bluke.v1.PlayResponse;
import org.bluke.v1.Turn;
import org.bluke.v1.Verdict;

/**
 * The games that a bot is in: hands what the referee says to the bot's own code, and what that answers to the outbox.
 *
 * <p>It is told everything by one thread, the reader. The bot's code runs in a pool. Games outlive a stream.
 */
final class Games {
    private static final System.Logger LOG = System.getLogger("org.bluke.sdk");
    private static final int DETAIL_BYTES = 4096;

    private final Supplier<? extends Bot> factory;
    private final ExecutorService pool;
    private final Map<String, Map<Integer, Seat>> seats = new HashMap<>();
    private final Set<Object> warned = new HashSet<>();
    private final AtomicInteger thinking = new AtomicInteger();

    /** Where to answer; null while there is no stream. */
    private volatile Outbox outbox;

    private volatile boolean leaving;

    Games(Supplier<? extends Bot> factory, int threads) {
        this.factory = factory;
        this.pool = Executors.newFixedThreadPool(threads, work -> {
            Thread thread = new Thread(work, "bluke-bot");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Whether a decision is being made, or waits for a thread. */
    boolean isThinking() {
        return thinking.get() > 0;
    }

    /** Answers go here from now on; null if there is no stream, and then they wait to be asked for again. */
    void answerTo(Outbox outbox) {
        this.outbox = outbox;
    }

    /** Begins no more of the bot's own code. */
    void leave() {
        leaving = true;
    }

    /** Lets what is still being heard, such as the end of a game, come to its end, for so long at most. */
    void settle(long millis) throws InterruptedException {
        pool.shutdown();
        pool.awaitTermination(millis, TimeUnit.MILLISECONDS);
    }

    /** Interrupts whatever is still being thought about; nobody waits for it. */
    void abandon() {
        leave();
        pool.shutdownNow();
    }

    /** The seats are lost. */
    void forget() {
        seats.values().forEach(game -> game.values().forEach(Seat::close));
        seats.clear();
    }

    /** Takes in anything that is said on an open stream, but for the goodbye. */
    void hear(PlayResponse response) {
        switch (response.getPayloadCase()) {
            case TURNS -> response.getTurns().getTurnsList().forEach(this::turn);
            case GAME_STARTED -> {
                org.bluke.v1.GameStarted started = response.getGameStarted();
                // Makes the bot while no clock is running, even if it does not listen.
                tell(
                        seat(started.getGameId(), started.getSeat()),
                        "gameStarted",
                        bot -> bot.gameStarted(Wire.gameStarted(started)));
            }
            case HAND_SCORED -> {
                org.bluke.v1.HandScored scored = response.getHandScored();
                tell(
                        seats.getOrDefault(scored.getGameId(), Map.of()).get(scored.getSeat()),
                        "handScored",
                        bot -> bot.handScored(Wire.handScored(scored)));
            }
            case GAME_OVER -> gameOver(response.getGameOver());
            case NOTICE -> {
                MoveNotice notice = response.getNotice();
                LOG.log(
                        notice.getVerdict() == Verdict.VERDICT_STALE
                                ? System.Logger.Level.DEBUG
                                : System.Logger.Level.WARNING,
                        () -> "decision " + notice.getDecisionId() + " of game " + notice.getGameId() + ": "
                                + notice.getDetail());
            }
            case FAULT -> {
                FaultNotice fault = response.getFault();
                warn("fault in game " + fault.getGameId() + ", seat " + fault.getSeat() + ": " + fault.getDetail());
            }
            case PAYLOAD_NOT_SET -> warnOnce("payload", "a message that this SDK does not know was skipped");
            default -> {
                // What this SDK does not pass on.
            }
        }
    }

    private Seat seat(String gameId, int number) {
        return seats.computeIfAbsent(gameId, id -> new HashMap<>())
                .computeIfAbsent(number, n -> new Seat(gameId, n, factory, pool));
    }

    private void turn(Turn turn) {
        Ask ask = Ask.of(turn);
        if (ask == null) {
            warnOnce(
                    turn.getAskedValue(),
                    "asked for " + turn.getAskedValue() + ", which this SDK does not know: left to the referee");
            return;
        }
        long id = turn.getDecisionId();
        Seat seat = seat(turn.getGameId(), turn.getSeat());
        Seat.Next next = seat.open(id);
        switch (next) {
            case REPEAT -> outbox.move(seat.answer());
            case WAIT -> {}
            case ASK, ASK_LATE -> {
                if (next == Seat.Next.ASK_LATE) {
                    warn("game " + turn.getGameId() + ", seat " + turn.getSeat()
                            + ": the time for a decision was over before it was made");
                }
                thinking.incrementAndGet();
                seat.enter(() -> decide(seat, ask, turn));
            }
        }
    }

    private void gameOver(org.bluke.v1.GameOver over) {
        Map<Integer, Seat> game = seats.getOrDefault(over.getGameId(), Map.of());
        Seat seat = game.get(over.getSeat());
        if (seat == null) {
            return;
        }
        game.remove(over.getSeat());
        if (game.isEmpty()) {
            seats.remove(over.getGameId());
        }
        seat.close();
        tell(seat, "gameOver", bot -> bot.gameOver(Wire.gameOver(over)));
    }

    // From here on in the threads of the pool.

    private interface Hook {
        void call(Bot bot) throws Exception;
    }

    private void tell(Seat seat, String method, Hook hook) {
        if (seat == null) {
            return;
        }
        seat.enter(() -> {
            try {
                if (!leaving) {
                    hook.call(seat.bot());
                }
            } catch (Throwable error) {
                failed(seat, method, 0, error, !seat.isClosed());
            }
        });
    }

    private void decide(Seat seat, Ask ask, Turn turn) {
        long id = turn.getDecisionId();
        Move move = null;
        Throwable trouble = null;
        if (!leaving && seat.isOpen(id)) {
            try {
                Bot bot = seat.bot();
                bot.takeNote();
                Move.Builder answer = ask.put(bot, turn).setGameId(turn.getGameId()).setDecisionId(id);
                String note = bot.takeNote();
                move = (note == null ? answer : answer.setNote(note)).build();
            } catch (Throwable error) {
                trouble = error;
            }
        }
        // Before the answer goes to the outbox, which asks whether there are more to come.
        thinking.decrementAndGet();
        if (trouble != null) {
            failed(seat, ask.method, id, trouble, seat.decided(id, null));
        } else if (move != null && seat.decided(id, move)) {
            Outbox out = outbox;
            if (out != null) {
                out.move(move);
            }
        }
    }

    private void failed(Seat seat, String method, long decisionId, Throwable error, boolean report) {
        if (leaving) {
            return;
        }
        String decision = decisionId == 0 ? "" : ", decision " + Long.toUnsignedString(decisionId);
        String text = trace(error);
        System.err.print("the bot failed on " + method + decision + " of game " + seat.gameId + ", seat " + seat.number
                + ":\n" + text);
        Outbox out = outbox;
        if (report && out != null) {
            out.say(PlayRequest.newBuilder()
                    .setError(BotError.newBuilder()
                            .setGameId(seat.gameId)
                            .setDecisionId(decisionId)
                            .setDetail(Outbox.clip(method + ": " + text, DETAIL_BYTES)))
                    .build());
        }
    }

    /** The stack trace without the frames below the bot's own. */
    private static String trace(Throwable error) {
        StackTraceElement[] frames = error.getStackTrace();
        for (int at = 0; at < frames.length; at++) {
            String name = frames[at].getClassName();
            if (name.startsWith(Games.class.getName()) || name.startsWith(Ask.class.getName())) {
                error.setStackTrace(Arrays.copyOf(frames, at));
                break;
            }
        }
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }

    private void warnOnce(Object key, String text) {
        if (warned.add(key)) {
            warn(text);
        }
    }

    private static void warn(String text) {
        LOG.log(System.Logger.Level.WARNING, () -> text);
    }
}
