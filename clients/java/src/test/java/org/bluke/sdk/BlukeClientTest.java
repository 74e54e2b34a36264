package org.bluke.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bluke.v1.BotError;
import org.bluke.v1.GameOver;
import org.bluke.v1.GameResult;
import org.bluke.v1.GameStarted;
import org.bluke.v1.GameStatus;
import org.bluke.v1.HandScored;
import org.bluke.v1.Hello;
import org.bluke.v1.Move;
import org.bluke.v1.MoveNotice;
import org.bluke.v1.PlayRequest;
import org.bluke.v1.PlayResponse;
import org.bluke.v1.Refusal;
import org.bluke.v1.RefusalReason;
import org.bluke.v1.Turn;
import org.bluke.v1.Verdict;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class BlukeClientTest {
    private FakeReferee referee;
    private CompletableFuture<Void> playing;
    private BlukeClient client;

    @BeforeEach
    void listen() throws Exception {
        referee = new FakeReferee();
    }

    @AfterEach
    void leave() {
        if (client != null) {
            client.stop("the test is over");
        }
        referee.close();
    }

    private BlukeClient client(Supplier<? extends Bot> factory) {
        return new BlukeClient(factory, Map.of("BLUKE_SERVER", referee.address()));
    }

    private void start(Supplier<? extends Bot> factory) {
        start(client(factory));
    }

    private void start(BlukeClient ready) {
        client = ready;
        playing = CompletableFuture.runAsync(
                () -> {
                    try {
                        ready.play();
                    } catch (InterruptedException error) {
                        throw new CompletionException(error);
                    }
                },
                work -> new Thread(work, "player").start());
    }

    private BlukeException failure() {
        CompletionException error = assertThrows(CompletionException.class, playing::join);
        return (BlukeException) error.getCause();
    }

    /** The first legal answer to everything. */
    static class First extends Bot {
        @Override
        public int bid(View<Integer> view) throws Exception {
            return view.legal().get(0);
        }

        @Override
        public Card play(View<Card> view) throws Exception {
            return view.legal().get(0);
        }
    }

    private static List<Long> ids(List<Move> moves) {
        return moves.stream().map(Move::getDecisionId).toList();
    }

    @Test
    void theHelloSaysWhoTheBotIs() throws Exception {
        start(new BlukeClient(First::new, Map.of("BLUKE_SERVER", referee.address(), "BLUKE_TOKEN", "secret"))
                .name("first")
                .version("1.2")
                .author("somebody")
                .maxGames(7));
        Hello hello = referee.accept().greet("key", false);
        Hello expected = Hello.newBuilder()
                .setToken("secret")
                .setName("first")
                .setVersion("1.2")
                .setSdk("java/0.1")
                .setAuthor("somebody")
                .addProtocols(1)
                .setMaxGames(7)
                .build();
        assertEquals(expected, hello);
    }

    @Test
    void theRefereesGoodbyeEndsThePlaying() throws Exception {
        start(First::new);
        FakeReferee.Call call = referee.accept();
        call.greet("key", false);
        call.goodbye();
        playing.join();
        assertTrue(referee.isQuiet());
    }

    @Test
    void aUnixSocketIsDialled(@TempDir Path folder) throws Exception {
        assumeTrue(Epoll.isAvailable(), "Unix sockets need Linux");
        Path socket = folder.resolve("s");
        try (FakeReferee sandboxed = new FakeReferee(socket)) {
            start(new BlukeClient(First::new, Map.of("BLUKE_SERVER", "unix:" + socket)));
            FakeReferee.Call call = sandboxed.accept();
            call.greet("key", false);
            call.ask(Turns.bid("a", 0, 1));
            assertEquals(1, call.moves().get(0).getBid());
            client.stop("the test is over");
            playing.join();
        }
    }

    @Test
    void eachKindOfQuestionHasItsOwnKindOfAnswer() throws Exception {
        start(First::new);
        FakeReferee.Call call = referee.accept();
        call.greet("key", false);
        call.ask(Turns.play("a", 0, 1));
        assertEquals(
                List.of(Move.newBuilder().setGameId("a").setDecisionId(1).setCard(48).build()), call.moves());
        call.ask(Turns.bid("a", 0, 2));
        assertEquals(List.of(Move.newBuilder().setGameId("a").setDecisionId(2).setBid(1).build()), call.moves());
        call.ask(Turns.bid("a", 0, 3).toBuilder()
                .setAsked(org.bluke.v1.Asked.ASKED_CUT)
                .build());
        assertEquals(List.of(Move.newBuilder().setGameId("a").setDecisionId(3).setCut(0).build()), call.moves());
    }

    @Test
    void aBatchOfTurnsIsAnsweredWithABatchOfMoves() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        start(() -> new First() {
            @Override
            public int bid(View<Integer> view) throws Exception {
                told.await();
                return 1;
            }
        });
        FakeReferee.Call call = referee.accept();
        call.greet("key", false);
        Turn[] turns =
                IntStream.range(0, 64).mapToObj(game -> Turns.bid("game " + game, 0, 1)).toArray(Turn[]::new);
        call.ask(turns);
        told.countDown();
        List<PlayRequest> messages = new ArrayList<>();
        List<String> games = new ArrayList<>();
        while (games.size() < 64) {
            PlayRequest message = call.hear();
            messages.add(message);
            message.getMoves().getMovesList().forEach(move -> games.add(move.getGameId()));
        }
        assertTrue(messages.size() < 64, "64 moves came in " + messages.size() + " messages");
        assertEquals(64, games.stream().distinct().count());
    }

    @Test
    void aSlowGameDoesNotHoldUpAnother() throws Exception {
        CountDownLatch thought = new CountDownLatch(1);
        start(client(() -> new First() {
                    @Override
                    public int bid(View<Integer> view) throws Exception {
                        if (view.gameId().equals("slow")) {
                            thought.await();
                        }
                        return 2;
                    }
                })
                .threads(2));
        FakeReferee.Call call = referee.accept();
        call.greet("key", false);
        call.ask(Turns.bid("slow", 0, 1), Turns.bid("fast", 0, 1));
        assertEquals("fast", call.moves().get(0).getGameId());
        thought.countDown();
        assertEquals("slow", call.moves().get(0).getGameId());
    }

    @Test
    void eachSeatOfEachGameHasABotOfItsOwn() throws Exception {
        Map<String, Bot> bots = new ConcurrentHashMap<>();
        start(() -> new First() {
            @Override
            public int bid(View<Integer> view) {
                bots.merge(view.gameId() + view.seat(), this, (old, now) -> {
                    assertEquals(old, now);
                    return old;
                });
                return 1;
            }
        });
        FakeReferee.Call call = referee.accept();
        call.greet("key", false);
        call.ask(Turns.bid("a", 0, 1), Turns.bid("a", 2, 2), Turns.bid("b", 0, 1));
        call.moves(3);
        call.ask(Turns.bid("a", 0, 3), Turns.bid("a", 2, 4), Turns.bid("b", 0, 2));
        call.moves(3);
        assertEquals(3, bots.size());
        assertNotSame(bots.get("a0"), bots.get("a2"));
        assertNotSame(bots.get("a0"), bots.get("b0"));
    }

    @Test
    void aNoteGoesWithItsDecisionOnly() throws Exception {
        start(() -> new First() {
            @Override
            public int bid(View<Integer> view) {
                if (view.decisionId() == 1) {
                    note("one");
                    note("two");
                }
                return 1;
            }
        });
        FakeReferee.Call call = referee.accept();
        call.greet("key", false);
        call.ask(Turns.bid("a", 0, 1));
        assertEquals("one\ntwo", call.moves().get(0).getNote());
        call.ask(Turns.bid("a", 0, 2));
        assertFalse(call.moves().get(0).hasNote());
    }

    private static PlayResponse.Builder started(String game, int seat) {
        return PlayResponse.newBuilder()
                .setGameStarted(GameStarted.newBuilder().setGameId(game).setSeat(seat));
    }

    private static PlayResponse.Builder over(String game, int seat) {
        return PlayResponse.newBuilder()
                .setGameOver(GameOver.newBuilder()
                        .setGameId(game)
                        .setSeat(seat)
                        .setGameSeed(ByteString.copyFromUtf8("seed"))
                        .setResult(GameResult.newBuilder()
                                .setStatus(GameStatus.GAME_STATUS_COMPLETE)
                                .addTotals(-10)
                                .addPlaces(1)));
    }

    @Test
    void theHooksAreCalledInOrderWithWhatWasTold() throws Exception {
        BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
        start(() -> new First() {
            @Override
            public void gameStarted(org.bluke.sdk.GameStarted game) {
                heard.add(game.gameId() + " begins");
            }

            @Override
            public int bid(View<Integer> view) {
                heard.add("bid");
                return 1;
            }

            @Override
            public void handScored(org.bluke.sdk.HandScored hand) {
                heard.add(hand.outcomes());
            }

            @Override
            public void gameOver(org.bluke.sdk.GameOver game) {
                heard.add(game.status() + " " + game.totals() + " " + game.gameSeed().orElseThrow().toStringUtf8());
            }
        });
        FakeReferee.Call call = referee.accept();
        call.greet("key", false);
        call.say(started("a", 0));
        call.ask(Turns.bid("a", 0, 1));
        call.moves();
        call.say(PlayResponse.newBuilder()
                .setHandScored(HandScored.newBuilder()
                        .setGameId("a")
                        .setResult(org.bluke.v1.HandResult.newBuilder()
                                .addOutcomesValue(3)
                                .addOutcomesValue(77))));
        call.say(over("a", 0));
        // Told again, as after a stream that broke: the game is known to be over.
        call.say(over("a", 0));
        call.goodbye();
        playing.join();
        assertEquals(
                List.of(
                        "a begins",
                        "bid",
                        List.of(
                                org.bluke.sdk.HandScored.Outcome.PERFECT,
                                org.bluke.sdk.HandScored.Outcome.OTHER),
                        "COMPLETE [-10] seed"),
                List.copyOf(heard));
    }

    @Test
    void aBotThatThrowsIsReportedAndAskedOn() throws Exception {
        start(() -> new First() {
            @Override
            public int bid(View<Integer> view) {
                throw new IllegalStateException("no idea");
            }
        });
        FakeReferee.Call call = referee.accept();
        call.greet("key", false);
        call.ask(Turns.bid("a", 0, 1));
        BotError error = call.hear().getError();
        assertEquals("a", error.getGameId());
        assertEquals(1, error.getDecisionId());
        assertTrue(error.getDetail().startsWith("bid: java.lang.IllegalStateException: no idea\n\tat "), error.getDetail());
        assertFalse(error.getDetail().contains("org.bluke.sdk.Games"), error.getDetail());
        call.ask(Turns.play("a", 0, 2));
        assertEquals(48, call.moves().get(0).getCard());
    }

    @ParameterizedTest
    @ValueSource(strings = {"stack", "null", "negative", "factory"})
    void anythingThatGoesWrongInABotIsReported(String how) throws Exception {
        start(() -> how.equals("factory") ? null : new First() {
            @Override
            public int bid(View<Integer> view) {
                return how.equals("stack") ? bid(view) + 1 : -1;
            }

            @Override
            public Card play(View<Card> view) {
                return null;
            }
        });
        FakeReferee.Call call = referee.accept();
        call.greet("key", false);
        call.ask(how.equals("null") ? Turns.play("a", 0, 1) : Turns.bid("a", 0, 1));
        BotError error = call.hear().getError();
        assertEquals(1, error.getDecisionId());
        String words = Map.of(
                        "stack", "StackOverflowError",
                        "null", "play returned null",
                        "negative", "bid returned -1",
                        "factory", "made no bot")
                .get(how);
        assertTrue(error.getDetail().contains(words), error.getDetail());
    }

    @Test
    void aHookThatThrowsIsReportedWithoutADecision() throws Exception {
        start(() -> new First() {
            @Override
            public void gameStarted(org.bluke.sdk.GameStarted game) {
                throw new IllegalStateException("no idea");
            }
        });
        FakeReferee.Call call = referee.accept();
        call.greet("key", false);
        call.say(started("a", 0));
        BotError error = call.hear().getError();
        assertEquals(0, error.getDecisionId());
        assertTrue(error.getDetail().startsWith("gameStarted: "));
        call.ask(Turns.bid("a", 0, 1));
        assertEquals(List.of(1L), ids(call.moves()));
    }

    @Test
    void refusedMovesAndWordsOfANewerRefereeDoNoHarm() throws Exception {
        start(First::new);
        FakeReferee.Call call = referee.accept();
        call.greet("key", false);
        for (Verdict verdict : List.of(Verdict.VERDICT_STALE, Verdict.VERDICT_ILLEGAL, Verdict.VERDICT_MALFORMED)) {
            call.say(PlayResponse.newBuilder()
                    .setNotice(MoveNotice.newBuilder().setVerdict(verdict).setDetail("as the test says")));
        }
        UnknownFieldSet unknown = UnknownFieldSet.newBuilder()
                .addField(1000, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                .build();
        call.say(PlayResponse.newBuilder().setUnknownFields(unknown));
        call.ask(Turns.bid("a", 0, 1).toBuilder().setAskedValue(77).build());
        Turn.Builder odd = Turns.bid("a", 0, 2).toBuilder().setUnknownFields(unknown);
        odd.getViewBuilder().setTrumpValue(77).setUnknownFields(unknown);
        call.ask(odd.build());
        assertEquals(List.of(2L), ids(call.moves()));
    }

    @Test
    void aBrokenStreamIsTakenUpAgainWithTheKey() throws Exception {
        BlockingQueue<Long> asked = new LinkedBlockingQueue<>();
        start(() -> new First() {
            @Override
            public int bid(View<Integer> view) {
                asked.add(view.decisionId());
                return 1;
            }
        });
        FakeReferee.Call call = referee.accept();
        call.greet("key", false);
        call.ask(Turns.bid("a", 0, 1));
        call.moves();
        call.fail(Status.UNAVAILABLE);
        call = referee.accept();
        assertEquals("key", call.greet("key", true).getResumeKey().toStringUtf8());
        call.ask(
                Turns.bid("a", 0, 1).toBuilder().setAgain(true).build(),
                Turns.bid("b", 0, 1));
        assertEquals(
                List.of("a", "b"),
                call.moves(2).getMovesList().stream().map(Move::getGameId).sorted().toList());
        assertEquals(2, asked.size(), "the answer of before is said again without asking the bot");
    }

    @Test
    void aDecisionOutlivesTheStreamItCameOn() throws Exception {
        CountDownLatch thinks = new CountDownLatch(1);
        CountDownLatch thought = new CountDownLatch(1);
        List<Long> asked = Collections.synchronizedList(new ArrayList<>());
        start(() -> new First() {
            @Override
            public int bid(View<Integer> view) throws Exception {
                asked.add(view.decisionId());
                thinks.countDown();
                thought.await();
                return 2;
            }
        });
        FakeReferee.Call call = referee.accept();
        call.greet("key", false);
        call.ask(Turns.bid("a", 0, 1));
        thinks.await();
        call.fail(Status.UNAVAILABLE);
        call = referee.accept();
        call.greet("key", true);
        call.ask(Turns.bid("a", 0, 1).toBuilder().setAgain(true).build());
        thought.countDown();
        assertEquals(2, call.moves().get(0).getBid());
        assertEquals(List.of(1L), asked);
    }

    @Test
    void aDecisionWhoseTimeIsOverIsNotSaid() throws Exception {
        CountDownLatch thinks = new CountDownLatch(1);
        CountDownLatch thought = new CountDownLatch(1);
        start(client(() -> new First() {
                    @Override
                    public int bid(View<Integer> view) throws Exception {
                        thinks.countDown();
                        thought.await();
                        return 2;
                    }
                })
                .threads(2));
        FakeReferee.Call call = referee.accept();
        call.greet("key", false);
        call.ask(Turns.bid("a", 0, 1));
        thinks.await();
        call.ask(Turns.bid("a", 0, 2));
        // The reader takes messages in order, so with this answer the second turn is known to be in.
        call.ask(Turns.play("b", 0, 1));
        assertEquals(List.of("b"), call.moves().stream().map(Move::getGameId).toList());
        thought.countDown();
        assertEquals(List.of(2L), ids(call.moves()));
    }

    @Test
    void seatsThatAreNotGivenBackAreForgotten() throws Exception {
        List<Bot> bots = Collections.synchronizedList(new ArrayList<>());
        start(() -> {
            Bot bot = new First();
            bots.add(bot);
            return bot;
        });
        FakeReferee.Call call = referee.accept();
        call.greet("old", false);
        call.ask(Turns.bid("a", 0, 1));
        call.moves();
        call.fail(Status.UNAVAILABLE);
        call = referee.accept();
        assertEquals("old", call.hear().getHello().getResumeKey().toStringUtf8());
        call.say(refusal(RefusalReason.REFUSAL_REASON_RESUME));
        call.end();
        call = referee.accept();
        assertTrue(call.greet("new", false).getResumeKey().isEmpty());
        call.ask(Turns.bid("a", 0, 1));
        assertEquals(List.of(1L), ids(call.moves()));
        assertEquals(2, bots.size());
    }

    private static PlayResponse.Builder refusal(RefusalReason reason) {
        return PlayResponse.newBuilder()
                .setRefusal(Refusal.newBuilder().setReason(reason).setMessage("as the test says"));
    }

    @ParameterizedTest
    @EnumSource(
            value = RefusalReason.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"UNRECOGNIZED"})
    void aRefusalEndsThePlayingWithItsOwnWords(RefusalReason reason) throws Exception {
        start(First::new);
        FakeReferee.Call call = referee.accept();
        call.hear();
        call.say(refusal(reason));
        call.end();
        BlukeException error = failure();
        assertEquals(BlukeException.Refused.class, error.getClass());
        assertEquals("refused by the referee at " + referee.address() + ": as the test says", error.getMessage());
        assertEquals(2, error.exitCode());
    }

    @ParameterizedTest
    @EnumSource(
            value = Status.Code.class,
            names = {"ABORTED", "INVALID_ARGUMENT", "RESOURCE_EXHAUSTED", "UNIMPLEMENTED"})
    void someEndsCannotBeMendedByDiallingAgain(Status.Code code) throws Exception {
        start(First::new);
        FakeReferee.Call call = referee.accept();
        call.greet("key", false);
        call.fail(code.toStatus().withDescription("as the test says"));
        BlukeException error = failure();
        assertEquals(1, error.exitCode());
        assertTrue(referee.isQuiet());
    }

    @Test
    void afterAnInternalErrorTheBotDialsAgain() throws Exception {
        start(First::new);
        FakeReferee.Call call = referee.accept();
        call.greet("key", false);
        call.fail(Status.INTERNAL);
        assertEquals("key", referee.accept().greet("key", true).getResumeKey().toStringUtf8());
    }

    @Test
    void stoppingSaysGoodbyeEvenWhileTheBotThinks() throws Exception {
        CountDownLatch thinks = new CountDownLatch(1);
        start(() -> new First() {
            @Override
            public int bid(View<Integer> view) throws Exception {
                thinks.countDown();
                new CountDownLatch(1).await();
                return 1;
            }
        });
        FakeReferee.Call call = referee.accept();
        call.greet("key", false);
        call.ask(Turns.bid("a", 0, 1));
        thinks.await();
        client.stop("enough");
        assertEquals("enough", call.hear().getGoodbye().getReason());
        call.awaitEnd();
        call.end();
        playing.join();
    }

    @Test
    void stoppingWhileDiallingEndsThePlaying() throws Exception {
        start(First::new);
        FakeReferee.Call call = referee.accept();
        call.hear();
        client.stop("enough");
        playing.get(30, TimeUnit.SECONDS);
    }

    @Test
    void withoutARefereeTheBotGivesUp() {
        String address = referee.address();
        referee.close();
        start(new BlukeClient(First::new, Map.of("BLUKE_SERVER", address)).giveUp(Duration.ZERO));
        BlukeException error = failure();
        assertEquals(BlukeException.Unreachable.class, error.getClass());
        assertEquals(1, error.exitCode());
        assertTrue(error.getMessage().contains("Connection refused"), error.getMessage());
    }

    @Test
    void whatIsMissingOrWrongInTheSettingsIsSaid() {
        Map<String, Map<String, String>> wrong = Map.of(
                "set BLUKE_SERVER", Map.of(),
                "BLUKE_CA", Map.of("BLUKE_SERVER", "localhost:1", "BLUKE_CA", "/nowhere/ca.pem"),
                "cannot dial 'unix://host/path'", Map.of("BLUKE_SERVER", "unix://host/path"),
                "with the CA certificate pom.xml", Map.of("BLUKE_SERVER", "localhost:1", "BLUKE_CA", "pom.xml"));
        Map<String, String> said = wrong.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, one -> {
                    BlukeException error = assertThrows(
                            BlukeException.Setup.class, () -> new BlukeClient(First::new, one.getValue()).play());
                    assertEquals(2, error.exitCode());
                    return error.getMessage();
                }));
        said.forEach((words, message) -> assertTrue(message.contains(words), message));
    }

    @ParameterizedTest
    @CsvSource({
        "localhost:7373, true",
        "127.0.0.1:7373, true",
        "[::1]:7373, true",
        "dns:///localhost:7373, true",
        "dns:localhost:7373, true",
        "unix:/run/referee, true",
        "unix:///run/referee, true",
        "arena.example:7373, false",
        "localhost.example:7373, false",
        "dns:arena.example:7373, false",
        "10.0.0.1:7373, false",
    })
    void onlyThisMachineIsDialledWithoutTls(String server, boolean local) {
        Settings settings = new Settings(server, "", "", "", "", 0, 1, "", false, Duration.ZERO);
        assertEquals(local, settings.isLocal());
        settings.channel().shutdownNow();
    }
}
