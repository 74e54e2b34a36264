//! What can end [`play`](crate::play) early.

use std::error;
use std::fmt;

/// The bot cannot go on; the text says why, for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A setting or an environment variable is missing or wrong.
    Setup(String),
    /// The referee refused the hello; the text is its own.
    Refused(String),
    /// No referee answered for longer than the bot was told to try.
    Unreachable(String),
    /// The referee ended the stream in a way that dialling again cannot mend.
    Ended(String),
}

impl Error {
    /// What [`run`](crate::run) ends the process with.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Setup(_) | Error::Refused(_) => 2,
            Error::Unreachable(_) | Error::Ended(_) => 1,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Setup(text) | Error::Refused(text) | Error::Unreachable(text) | Error::Ended(text) => {
                f.write_str(text)
            }
        }
    }
}

impl error::Error for Error {}
