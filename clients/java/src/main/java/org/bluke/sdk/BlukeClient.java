package org.bluke.sdk;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Plays with a bot at a referee.
 *
 * <pre>{@code
 * public static void main(String[] args) {
 *     new BlukeClient(Cautious::new).name("cautious").run();
 * }
 * }</pre>
 *
 * <p>What is not set comes from the environment: {@code BLUKE_SERVER}, {@code BLUKE_TOKEN}, {@code BLUKE_CA} and {@code
 * BLUKE_INSECURE=1}.
 */
public final class BlukeClient {
    /** Kept, since a logger that nobody keeps forgets its level. */
    private static final Logger GRPC_LOG = Logger.getLogger("io.grpc");

    private final Supplier<? extends Bot> factory;
    private final Map<String, String> environment;
    private String server;
    private String token;
    private String ca;
    private Boolean insecure;
    private String name = "";
    private String version = "";
    private String author = "";
    private int maxGames;
    private int threads = Runtime.getRuntime().availableProcessors();
    private Duration giveUp = Duration.ofSeconds(60);

    private Connection connection;
    private boolean stopped;
    private final CountDownLatch over = new CountDownLatch(1);

    /**
     * Prepares; nothing is dialled yet.
     *
     * @param factory makes the bot for one seat in one game: a constructor, mostly
     */
    public BlukeClient(Supplier<? extends Bot> factory) {
        this(factory, System.getenv());
    }

    BlukeClient(Supplier<? extends Bot> factory, Map<String, String> environment) {
        this.factory = Objects.requireNonNull(factory, "factory");
        this.environment = environment;
    }

    /** The referee, as {@code host:port} or {@code unix:/path}. */
    public BlukeClient server(String server) {
        this.server = server;
        return this;
    }

    /** Who the bot is. */
    public BlukeClient token(String token) {
        this.token = token;
        return this;
    }

    /** The name to be shown, at most 64 bytes; without one the referee shows that of the token. */
    public BlukeClient name(String name) {
        this.name = name;
        return this;
    }

    /** The bot's own version, at most 64 bytes. */
    public BlukeClient version(String version) {
        this.version = version;
        return this;
    }

    /** Who wrote the bot, at most 64 bytes. */
    public BlukeClient author(String author) {
        this.author = author;
        return this;
    }

    /** Games to play at once; 0 leaves that to the referee. */
    public BlukeClient maxGames(int maxGames) {
        this.maxGames = maxGames;
        return this;
    }

    /** How many decisions are made at the same time: as many as there are processors, unless they wait for something. */
    public BlukeClient threads(int threads) {
        this.threads = threads;
        return this;
    }

    /** File with the root certificate (PEM) of the referee. */
    public BlukeClient ca(String ca) {
        this.ca = ca;
        return this;
    }

    /** Whether to speak without TLS to a referee on another machine. */
    public BlukeClient insecure(boolean insecure) {
        this.insecure = insecure;
        return this;
    }

    /** How long to go on without a welcome. */
    public BlukeClient giveUp(Duration giveUp) {
        this.giveUp = giveUp;
        return this;
    }

    /**
     * Plays until the referee says goodbye, and ends the process.
     *
     * <p>The exit code is 0 after a goodbye, 1 when no referee answered or the stream cannot be mended, 2 when the referee
     * refused or a setting is wrong, each with a sentence on standard error. On SIGINT and SIGTERM the bot says goodbye
     * and leaves with 128 and the signal's number. Nothing is written to standard output.
     */
    public void run() {
        // Whatever is wrong with the network comes back as a status; the rest is of no use in a bot's log.
        GRPC_LOG.setLevel(Level.SEVERE);
        Runtime.getRuntime().addShutdownHook(new Thread(this::leave, "bluke-leave"));
        int code = 0;
        try {
            play();
        } catch (BlukeException error) {
            System.err.println((name.isEmpty() ? "bluke" : name) + ": " + error.getMessage());
            code = error.exitCode();
        } catch (InterruptedException error) {
            code = 1;
        }
        // Waits for ever if a signal has begun to end the process, and so leaves the exit code to it.
        System.exit(code);
    }

    /**
     * Plays until the referee says goodbye or {@link #stop} is called. A client plays once.
     *
     * @throws BlukeException.Unreachable no referee answered for too long
     * @throws BlukeException.Refused the referee refused the hello
     * @throws BlukeException.Setup a setting is missing or wrong
     * @throws BlukeException the referee ended the stream in a way that dialling again cannot mend
     */
    public void play() throws InterruptedException {
        try {
            Settings settings = settings();
            Connection ours = new Connection(settings, new Games(factory, settings.threads()));
            synchronized (this) {
                if (stopped) {
                    return;
                }
                connection = ours;
            }
            ours.run();
        } finally {
            over.countDown();
        }
    }

    /** Says goodbye and lets {@link #play} return; the open games go on without this bot. For any thread. */
    public void stop(String reason) {
        Connection open;
        synchronized (this) {
            stopped = true;
            open = connection;
        }
        if (open != null) {
            open.stop(reason);
        }
    }

    private void leave() {
        if (over.getCount() == 0) {
            return;
        }
        stop("the process was told to end");
        try {
            over.await(Connection.PARTING_WAIT, TimeUnit.MILLISECONDS);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    private Settings settings() {
        Settings settings = new Settings(
                given(server, "BLUKE_SERVER"),
                given(token, "BLUKE_TOKEN"),
                name,
                version,
                author,
                maxGames,
                threads,
                given(ca, "BLUKE_CA"),
                insecure != null ? insecure : "1".equals(environment.get("BLUKE_INSECURE")),
                giveUp);
        if (settings.server().isEmpty()) {
            throw new BlukeException.Setup(
                    "no referee to dial: set BLUKE_SERVER to its address, such as localhost:7373");
        }
        if (threads < 1 || maxGames < 0) {
            throw new BlukeException.Setup("threads must be at least 1 and maxGames at least 0");
        }
        return settings;
    }

    private String given(String value, String variable) {
        return value != null ? value : environment.getOrDefault(variable, "");
    }
}
