package org.bluke.sdk;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.bluke.sdk.GameStarted.DrawnCard;

/**
 * Deals a finished game once more from its seed, to check that it was the one committed to and gave the cards that were
 * dealt. The numbers in comments are sections of the rules.
 */
public final class Dealing {
    private static final long WORDS = 1L << 32;

    private final ByteString seed;
    private final Rules rules;
    private final Draw draw;

    /**
     * Prepares to check one game.
     *
     * @param seed the game seed, as {@link GameOver} tells it
     * @throws IllegalArgumentException the seed is not of 32 bytes
     */
    public Dealing(ByteString seed, Rules rules) {
        if (seed.size() != 32) {
            throw new IllegalArgumentException("a game seed is 32 bytes, not " + seed.size());
        }
        this.seed = seed;
        this.rules = rules;
        this.draw = draw(drawPack(seed), rules.seats());
    }

    /**
     * The draw for the deal (3).
     *
     * @param rounds that of all seats, then the redraws for the dealer, then those for the scorekeeper
     */
    public record Draw(List<List<DrawnCard>> rounds, int dealer, int scorekeeper) {}

    /**
     * One hand as it was dealt (4.1).
     *
     * @param hands the cards of each seat, in the order dealt
     * @param rest what is left of the pack before it is cut, top card first
     */
    public record Deal(List<List<Card>> hands, List<Card> rest) {
        /** The card turned up after so many are moved from the top to the bottom; empty if none is left (4.3, 4.4). */
        public Optional<Card> turned(int cut) {
            return rest.isEmpty() ? Optional.empty() : Optional.of(rest.get(cut));
        }
    }

    /** The seed of one deal of a match (8.2). */
    public static ByteString gameSeed(ByteString matchSeed, long deal) {
        return hmac(matchSeed, ascii("bluke/1/game").concat(number(deal, Long.BYTES)));
    }

    /** What is published of a game seed before the first card (8.1). */
    public static ByteString commitment(ByteString seed, String gameId) {
        return sha256(ascii("bluke/1/commit").concat(seed).concat(ByteString.copyFromUtf8(gameId)));
    }

    /** The pack of the draw, top card first (8.4). */
    public static List<Card> drawPack(ByteString seed) {
        return pack(seed, ascii("bluke/1/draw"));
    }

    /** The pack of a hand, counted from 0, top card first (8.4). */
    public static List<Card> handPack(ByteString seed, int hand) {
        return pack(seed, ascii("bluke/1/hand").concat(number(hand, Integer.BYTES)));
    }

    /** Draws for the deal. */
    public static Draw draw(List<Card> pack, int seats) {
        Iterator<Card> left = pack.iterator();
        List<List<DrawnCard>> rounds = new ArrayList<>();
        rounds.add(round(IntStream.range(0, seats).boxed().toList(), left));
        int dealer = settle(rounds, left, pack.size(), drawn -> drawn.card().rank());
        int scorekeeper = settle(rounds, left, pack.size(), drawn -> -drawn.card().rank());
        return new Draw(List.copyOf(rounds), dealer, scorekeeper);
    }

    private static List<DrawnCard> round(List<Integer> seats, Iterator<Card> left) {
        return seats.stream().map(seat -> new DrawnCard(seat, left.next())).toList();
    }

    /** Redraws from the first round on, among those who tie for the best, until one is left (3.2 to 3.4). */
    private static int settle(
            List<List<DrawnCard>> rounds, Iterator<Card> left, int cards, ToIntFunction<DrawnCard> worth) {
        List<DrawnCard> drawn = rounds.get(0);
        while (true) {
            int best = drawn.stream().mapToInt(worth).max().orElseThrow();
            List<Integer> tied = drawn.stream()
                    .filter(one -> worth.applyAsInt(one) == best)
                    .map(DrawnCard::seat)
                    .toList();
            int rest = cards - rounds.stream().mapToInt(List::size).sum();
            if (tied.size() == 1 || rest < tied.size()) {
                return tied.get(0);
            }
            drawn = round(tied, left);
            rounds.add(drawn);
        }
    }

    /** Deals one card at a time from the dealer's left. */
    public static Deal deal(List<Card> pack, int seats, int size, int dealer) {
        int used = seats * size;
        Function<Integer, List<Card>> hand = seat -> IntStream.iterate(
                        Math.floorMod(seat - dealer - 1, seats), at -> at < used, at -> at + seats)
                .mapToObj(pack::get)
                .toList();
        return new Deal(IntStream.range(0, seats).boxed().map(hand).toList(), List.copyOf(pack.subList(used, pack.size())));
    }

    /** One hand of this game. */
    public Deal hand(int hand) {
        return deal(handPack(seed, hand), rules.seats(), rules.hands().get(hand), dealer(hand));
    }

    /** The dealer of a hand: the deal passes to the left (3.5). */
    public int dealer(int hand) {
        return (draw.dealer() + hand) % rules.seats();
    }

    /** What does not fit in how the game began; empty if everything does. */
    public List<String> differences(GameStarted game) {
        List<String> differences = new ArrayList<>();
        differ(differences, "the commitment", hex(game.commitment()), hex(commitment(seed, game.gameId())));
        differ(differences, "the draw", game.draw(), draw.rounds());
        differ(differences, "the dealer", game.dealer(), draw.dealer());
        differ(differences, "the scorekeeper", game.scorekeeper(), draw.scorekeeper());
        return differences;
    }

    /** What does not fit in a hand as its seat saw it; empty if everything does. */
    public List<String> differences(View<?> view) {
        List<String> differences = new ArrayList<>();
        String where = "hand " + view.hand() + ": ";
        if (view.hand() < 0 || view.hand() >= rules.hands().size()) {
            return List.of(where + "the game has only " + rules.hands().size());
        }
        Deal deal = hand(view.hand());
        differ(differences, where + "the size", view.size(), rules.hands().get(view.hand()));
        differ(differences, where + "the dealer", view.dealer(), dealer(view.hand()));
        differ(
                differences,
                where + "the cards of seat " + view.seat(),
                dealtTo(view),
                Set.copyOf(deal.hands().get(view.seat())));
        // Until the pack has been cut nothing is turned up.
        if (view.turned().isPresent()) {
            Card turned = view.turned().get();
            boolean fits = rules.cut() == Rules.Cut.TAP
                    ? deal.turned(0).equals(view.turned())
                    : deal.rest().contains(turned);
            if (!fits) {
                differences.add(where + "the card turned up was " + turned + ", and the pack had " + deal.rest());
            }
            differ(differences, where + "the trump", view.trump(), turned.suit());
        }
        return differences;
    }

    /** What the seat of a view holds and has played. */
    private static Set<Card> dealtTo(View<?> view) {
        Set<Card> cards = new HashSet<>(view.cards());
        for (Trick trick : view.tricks()) {
            int place = Math.floorMod(view.seat() - trick.leader(), view.rules().seats());
            if (place < trick.cards().size()) {
                cards.add(trick.cards().get(place));
            }
        }
        return cards;
    }

    private static void differ(List<String> differences, String what, Object told, Object computed) {
        if (!told.equals(computed)) {
            differences.add(what + " was " + told + ", and by the seed it is " + computed);
        }
    }

    /** The whole pack shuffled for one purpose (8.3). */
    private static List<Card> pack(ByteString seed, ByteString label) {
        ByteString key = hmac(seed, label);
        List<Card> cards = new ArrayList<>(Card.ALL);
        ByteBuffer words = ByteBuffer.allocate(0);
        int block = 0;
        for (int i = cards.size() - 1; i > 0; i--) {
            int m = i + 1;
            long word;
            do {
                if (!words.hasRemaining()) {
                    words = sha256(key.concat(number(block++, Integer.BYTES))).asReadOnlyByteBuffer();
                }
                word = Integer.toUnsignedLong(words.getInt());
            } while (word >= WORDS - WORDS % m);
            Collections.swap(cards, i, (int) (word % m));
        }
        return List.copyOf(cards);
    }

    private static ByteString number(long value, int bytes) {
        byte[] eight = ByteBuffer.allocate(Long.BYTES).putLong(value).array();
        return ByteString.copyFrom(eight, Long.BYTES - bytes, bytes);
    }

    private static ByteString ascii(String text) {
        return ByteString.copyFrom(text, StandardCharsets.US_ASCII);
    }

    private static ByteString sha256(ByteString message) {
        try {
            return ByteString.copyFrom(MessageDigest.getInstance("SHA-256").digest(message.toByteArray()));
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException("every Java has SHA-256", error);
        }
    }

    private static ByteString hmac(ByteString key, ByteString message) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            // Zeros at the end change no key, and Java refuses one that is empty.
            byte[] bytes = key.isEmpty() ? new byte[1] : key.toByteArray();
            mac.init(new SecretKeySpec(bytes, "HmacSHA256"));
            return ByteString.copyFrom(mac.doFinal(message.toByteArray()));
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException("every Java has HmacSHA256", error);
        }
    }

    private static String hex(ByteString bytes) {
        return HexFormat.of().formatHex(bytes.toByteArray());
    }
}
