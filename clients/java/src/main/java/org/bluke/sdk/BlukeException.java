package org.bluke.sdk;

/** The bot cannot go on; the message says why, for a person. */
public class BlukeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    BlukeException(String message) {
        super(message);
    }

    /** What the process should end with. */
    public int exitCode() {
        return 1;
    }

    /** No referee answered for longer than the bot was told to try. */
    public static final class Unreachable extends BlukeException {
        private static final long serialVersionUID = 1;

        Unreachable(String message) {
            super(message);
        }
    }

    /** The referee refused the hello; the message is its own. */
    public static final class Refused extends BlukeException {
        private static final long serialVersionUID = 1;

        Refused(String message) {
            super(message);
        }

        @Override
        public int exitCode() {
            return 2;
        }
    }

    /** A setting is missing or wrong. */
    public static final class Setup extends BlukeException {
        private static final long serialVersionUID = 1;

        Setup(String message) {
            super(message);
        }

        @Override
        public int exitCode() {
            return 2;
        }
    }
}
