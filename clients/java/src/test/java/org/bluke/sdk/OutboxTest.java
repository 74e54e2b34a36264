package org.bluke.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.bluke.v1.Goodbye;
import org.bluke.v1.Move;
import org.bluke.v1.PlayRequest;
import org.bluke.v1.StreamLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutboxTest {
    private static final StreamLimits LIMITS = StreamLimits.newBuilder()
            .setMaxNoteBytes(10)
            .setMaxMessageBytes(1000)
            .build();

    private static Move move(int id) {
        return Move.newBuilder().setGameId("game").setDecisionId(id).setBid(1).build();
    }

    private static List<Integer> sizes(List<PlayRequest> requests) {
        return requests.stream().map(request -> request.getMoves().getMovesCount()).toList();
    }

    @Test
    void movesAreGatheredIntoOneMessage() throws Exception {
        Outbox outbox = new Outbox(LIMITS, () -> false);
        outbox.move(move(1));
        outbox.move(move(2));
        assertEquals(List.of(2), sizes(outbox.take()));
    }

    @Test
    void aMessageHoldsAtMost64Moves() throws Exception {
        Outbox outbox = new Outbox(StreamLimits.getDefaultInstance(), () -> false);
        for (int id = 1; id <= 130; id++) {
            outbox.move(move(id));
        }
        assertEquals(List.of(64, 64, 2), sizes(outbox.take()));
    }

    @Test
    void aMessageStaysFarBelowTheLimitOfBytes() throws Exception {
        Outbox outbox = new Outbox(LIMITS, () -> false);
        for (int id = 1; id <= 60; id++) {
            outbox.move(move(id).toBuilder().setNote("0123456789").build());
        }
        List<PlayRequest> said = outbox.take();
        assertTrue(said.size() > 1);
        assertTrue(said.stream().allMatch(request -> request.getSerializedSize() < 1000), sizes(said).toString());
        assertEquals(60, sizes(said).stream().mapToInt(Integer::intValue).sum());
    }

    @Test
    void orderIsKeptBetweenMovesAndOtherWords() throws Exception {
        Outbox outbox = new Outbox(LIMITS, () -> false);
        outbox.move(move(1));
        outbox.say(PlayRequest.newBuilder().setGoodbye(Goodbye.getDefaultInstance()).build());
        outbox.move(move(2));
        assertEquals(List.of(1, 0, 1), sizes(outbox.take()));
    }

    @Test
    void aDecisionThatTakesLongDoesNotHoldUpTheOthers() throws Exception {
        Outbox outbox = new Outbox(LIMITS, () -> true);
        outbox.move(move(1));
        assertEquals(List.of(1), sizes(outbox.take()));
    }

    @Test
    void aClosedOutboxGivesNothing() throws Exception {
        Outbox outbox = new Outbox(LIMITS, () -> false);
        outbox.move(move(1));
        outbox.close();
        assertEquals(List.of(), outbox.take());
    }

    @Test
    void aNoteIsCutToWhatTheRefereeKeeps() throws Exception {
        Outbox outbox = new Outbox(LIMITS, () -> false);
        outbox.move(move(1).toBuilder().setNote("0123456789abc").build());
        assertEquals("0123456789", outbox.take().get(0).getMoves().getMoves(0).getNote());
    }

    @ParameterizedTest
    @CsvSource({"abc, 3, abc", "abc, 2, ab", "äöü, 5, äö", "äöü, 6, äöü", "🃏🃏, 7, 🃏", "🃏, 3, ''", "'', 0, ''"})
    void aTextIsCutBetweenTwoCharacters(String text, int most, String cut) {
        assertEquals(cut, Outbox.clip(text, most));
        assertTrue(Outbox.clip(text, most).getBytes(StandardCharsets.UTF_8).length <= most);
    }

    @Test
    void halfACharacterBecomesAMark() {
        assertEquals("a?b", Outbox.clip("a\ud83cb", 9));
    }
}
