package org.bluke.sdk;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.bluke.v1.Move;

/**
 * One seat of one game: its bot, the work that waits for it, and its open decision.
 *
 * <p>Work is done in the order in which it came, one piece at a time, in whatever thread of the pool is free.
 */
final class Seat {
    final String gameId;
    final int number;

    private final Supplier<? extends Bot> factory;
    private final Executor pool;
    private final Deque<Runnable> work = new ArrayDeque<>();
    private boolean working;
    private boolean closed;

    private long decisionId;
    private boolean deciding;
    private Move answer;

    /** Touched by this seat's work only. */
    private Bot bot;

    Seat(String gameId, int number, Supplier<? extends Bot> factory, Executor pool) {
        this.gameId = gameId;
        this.number = number;
        this.factory = factory;
        this.pool = pool;
    }

    /** The bot of this seat, made when it is first needed; to be called by this seat's work. */
    Bot bot() {
        if (bot == null) {
            bot = Objects.requireNonNull(factory.get(), "the factory given to BlukeClient made no bot");
        }
        return bot;
    }

    /** What is to be done about a turn. */
    enum Next {
        /** The bot is to be asked. */
        ASK,
        /** The bot is to be asked, and is still busy with a decision whose time is over. */
        ASK_LATE,
        /** It was answered on another stream: the answer is to be said again. */
        REPEAT,
        /** The bot is thinking about it already. */
        WAIT
    }

    /** Opens a decision, or finds it open. */
    synchronized Next open(long id) {
        if (id == decisionId) {
            if (answer != null) {
                return Next.REPEAT;
            }
            if (deciding) {
                return Next.WAIT;
            }
        }
        Next next = deciding ? Next.ASK_LATE : Next.ASK;
        decisionId = id;
        deciding = true;
        answer = null;
        return next;
    }

    /** The answer to the last decision; null for none. */
    synchronized Move answer() {
        return answer;
    }

    synchronized boolean isOpen(long id) {
        return deciding && decisionId == id && !closed;
    }

    /**
     * Ends the decision with an answer, or without one after a failure.
     *
     * @param move null after a failure
     * @return whether the referee still wants to hear of it
     */
    synchronized boolean decided(long id, Move move) {
        if (!isOpen(id)) {
            return false;
        }
        deciding = false;
        answer = move;
        return true;
    }

    /** The referee asks nothing more: decisions under way are for nobody. */
    synchronized void close() {
        closed = true;
    }

    /** Whether nothing more is asked of this seat. */
    synchronized boolean isClosed() {
        return closed;
    }

    /** Does a piece of work after what is waiting already; it must not throw. */
    void enter(Runnable piece) {
        synchronized (this) {
            work.add(piece);
            if (working) {
                return;
            }
            working = true;
        }
        pool.execute(this::work);
    }

    private void work() {
        while (true) {
            Runnable piece;
            synchronized (this) {
                piece = work.poll();
                if (piece == null) {
                    working = false;
                    return;
                }
            }
            piece.run();
        }
    }
}
