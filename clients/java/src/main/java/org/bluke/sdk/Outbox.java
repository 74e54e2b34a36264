package org.bluke.sdk;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.bluke.v1.Move;
import org.bluke.v1.Moves;
import org.bluke.v1.PlayRequest;
import org.bluke.v1.StreamLimits;

/**
 * What a bot has to say and has not yet written on one stream.
 *
 * <p>The cost of a stream is by message, not by move, so moves are gathered: as long as decisions are being made, what
 * there is waits a moment for more.
 */
final class Outbox {
    private static final int MOST_MOVES = 64;
    private static final long LONGEST_WAIT = TimeUnit.MILLISECONDS.toNanos(2);

    private final int noteBytes;
    private final int messageBytes;
    private final BooleanSupplier thinking;

    private List<PlayRequest> requests = new ArrayList<>();
    private Moves.Builder moves = Moves.newBuilder();
    private int movesBytes;
    private boolean closed;

    /**
     * @param limits those of the referee's welcome
     * @param thinking whether more moves are to come soon
     */
    Outbox(StreamLimits limits, BooleanSupplier thinking) {
        this.noteBytes = limits.getMaxNoteBytes() > 0 ? limits.getMaxNoteBytes() : 1024;
        // Half of what is allowed leaves room for tags and lengths.
        this.messageBytes = (limits.getMaxMessageBytes() > 0 ? limits.getMaxMessageBytes() : 65_536) / 2;
        this.thinking = thinking;
    }

    /** Says a move, its note cut to what the referee keeps. */
    synchronized void move(Move move) {
        Move said = move.hasNote()
                ? move.toBuilder().setNote(clip(move.getNote(), noteBytes)).build()
                : move;
        if (movesBytes + said.getSerializedSize() > messageBytes) {
            seal();
        }
        boolean first = isEmpty();
        moves.addMoves(said);
        movesBytes += said.getSerializedSize();
        if (moves.getMovesCount() == MOST_MOVES) {
            seal();
        }
        // Between the first and the last of a batch there is no use in waking the writer.
        if (first || !mayGrow()) {
            notifyAll();
        }
    }

    /** Says anything else. */
    synchronized void say(PlayRequest request) {
        seal();
        requests.add(request);
        notifyAll();
    }

    /** Lets the writer go. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }

    /** Waits until there is something to write and takes all of it; an empty list once the outbox is closed. */
    synchronized List<PlayRequest> take() throws InterruptedException {
        while (isEmpty() && !closed) {
            wait();
        }
        long end = System.nanoTime() + LONGEST_WAIT;
        long left = LONGEST_WAIT;
        while (left > 0 && !closed && mayGrow()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = end - System.nanoTime();
        }
        seal();
        List<PlayRequest> taken = closed ? List.of() : requests;
        requests = new ArrayList<>();
        return taken;
    }

    private boolean isEmpty() {
        return requests.isEmpty() && movesBytes == 0;
    }

    private boolean mayGrow() {
        return requests.isEmpty() && thinking.getAsBoolean();
    }

    private void seal() {
        if (movesBytes > 0) {
            requests.add(PlayRequest.newBuilder().setMoves(moves).build());
            moves = Moves.newBuilder();
            movesBytes = 0;
        }
    }

    /** Cuts a text to at most so many bytes of UTF-8, between two characters. */
    static String clip(String text, int most) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int end = Math.min(most, bytes.length);
        while (end > 0 && end < bytes.length && (bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }
}
