package org.bluke.sdk;

/**
 * A bot: derive from it, write {@link #bid} and {@link #play}, and pass its constructor to {@link BlukeClient}.
 *
 * <p>One object is made for each seat in each game, so its fields are the memory of one seat. The methods of one object
 * never overlap. Those of different ones run at the same time in several threads, so what is {@code static} must bear
 * that.
 *
 * <p>A view holds all there is to know, so a bot need not remember anything. One that does should expect to begin in the
 * middle of a game: a process that was started again is asked on where the old one stopped.
 *
 * <p>Whatever a method throws is shown on standard error and reported to the referee, which charges a fault; the next
 * decision is asked as ever.
 */
public abstract class Bot {
    private StringBuilder note;

    /** Says how many tricks to contract for: one of {@code view.legal()}. */
    public abstract int bid(View<Integer> view) throws Exception;

    /** Chooses a card out of {@code view.legal()}. */
    public abstract Card play(View<Card> view) throws Exception;

    /** Says how many cards to move from the top of the pack to its bottom; 0 taps. Asked only if the rules want it. */
    public int cut(View<Integer> view) throws Exception {
        return 0;
    }

    /** Hears that a game begins in which this object has a seat. */
    public void gameStarted(GameStarted game) throws Exception {}

    /** Hears how a hand ended. */
    public void handScored(HandScored hand) throws Exception {}

    /** Hears how the game ended; the object is not used again. */
    public void gameOver(GameOver game) throws Exception {}

    /**
     * Attaches a line to the decision being made, for whoever reads the replay.
     *
     * <p>Several notes on one decision are several lines. The referee keeps the first 1024 bytes and shows them to no
     * other seat. Outside {@code cut}, {@code bid} and {@code play} there is no decision, and the note is dropped.
     */
    protected final void note(String text) {
        if (note == null) {
            note = new StringBuilder(String.valueOf(text));
        } else {
            note.append('\n').append(text);
        }
    }

    /** The note made since the last call; null for none. */
    final String takeNote() {
        String taken = note == null ? null : note.toString();
        note = null;
        return taken;
    }
}
