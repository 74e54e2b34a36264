//! What a client needs to know besides the bot.

use std::env;
use std::fs;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};

use crate::error::Error;

/// All that there is to set. `"name".into()` takes the rest from the environment:
///
/// ```
/// use bluke_sdk::Settings;
///
/// let settings = Settings { version: "1.2".into(), threads: 4, ..Settings::from("careful") };
/// ```
#[derive(Clone)]
pub struct Settings {
    /// The name to be shown, at most 64 bytes.
    pub name: String,
    /// The bot's own version, at most 64 bytes.
    pub version: String,
    /// Who wrote it, at most 64 bytes.
    pub author: String,
    /// The referee, as `host:port` or `unix:/path`; `BLUKE_SERVER`.
    pub server: String,
    /// Who the bot is; `BLUKE_TOKEN`.
    pub token: String,
    /// File with the root certificate (PEM) of the referee; `BLUKE_CA`.
    pub ca: Option<PathBuf>,
    /// Speak without TLS to a referee on another machine; `BLUKE_INSECURE=1`.
    pub insecure: bool,
    /// Games to play at once; 0 leaves that to the referee.
    pub max_games: u32,
    /// Whether to be told every public event ([`Bot::event`](crate::Bot::event)).
    pub events: bool,
    /// Threads that the bots think on, at least 1. All that happens in one game happens on one of them, in order.
    pub threads: usize,
    /// Time without a welcome after which to give up.
    pub give_up: Duration,
}

impl<S: Into<String>> From<S> for Settings {
    /// The settings of the environment for a bot of this name.
    fn from(name: S) -> Self {
        let var = |key| env::var(key).unwrap_or_default();
        Settings {
            name: name.into(),
            version: String::new(),
            author: String::new(),
            server: var("BLUKE_SERVER"),
            token: var("BLUKE_TOKEN"),
            ca: env::var_os("BLUKE_CA").filter(|path| !path.is_empty()).map(PathBuf::from),
            insecure: var("BLUKE_INSECURE") == "1",
            max_games: 0,
            events: false,
            threads: 1,
            give_up: Duration::from_secs(60),
        }
    }
}

impl Settings {
    /// Where to dial: TLS with the CA given, none on this machine, else TLS with the system's roots.
    pub(crate) fn endpoint(&self) -> Result<Endpoint, Error> {
        if self.server.is_empty() {
            let cure = "no referee to dial: set BLUKE_SERVER to its address, such as localhost:7373";
            return Err(Error::Setup(cure.into()));
        }
        let wrong = || {
            let form = "it must be of the form host:port or unix:/path, such as localhost:7373 (BLUKE_SERVER)";
            Error::Setup(format!("{:?} is not the address of a referee: {form}", self.server))
        };
        let endpoint = if self.server.starts_with("unix:") {
            // No certificate holds the name of a socket, so there is no TLS on one.
            Endpoint::from_shared(self.server.clone()).map_err(|_| wrong())?
        } else {
            let address = self.server.trim_start_matches("dns:").trim_start_matches("///");
            let (host, port) = address.rsplit_once(':').ok_or_else(wrong)?;
            if host.is_empty() || port.parse::<u16>().is_err() {
                return Err(wrong());
            }
            let plain = self.ca.is_none() && (self.insecure || is_local(host));
            let scheme = if plain { "http" } else { "https" };
            let endpoint = Endpoint::from_shared(format!("{scheme}://{address}")).map_err(|_| wrong())?;
            if plain { endpoint } else { self.with_tls(&endpoint)? }
        };
        Ok(endpoint
            .http2_keep_alive_interval(Duration::from_secs(10))
            .keep_alive_timeout(Duration::from_secs(5))
            .keep_alive_while_idle(true))
    }

    fn with_tls(&self, endpoint: &Endpoint) -> Result<Endpoint, Error> {
        let tls = match &self.ca {
            Some(path) => {
                let wrong =
                    |why| Error::Setup(format!("cannot read the CA certificate {}: {why} (BLUKE_CA)", path.display()));
                let pem = fs::read(path).map_err(|error| wrong(error.to_string()))?;
                let begin = b"-----BEGIN CERTIFICATE-----";
                if !pem.windows(begin.len()).any(|text| text == begin) {
                    return Err(wrong("it holds no certificate in PEM".into()));
                }
                ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem))
            }
            None => ClientTlsConfig::new().with_native_roots(),
        };
        endpoint.clone().tls_config(tls).map_err(|error| Error::Setup(format!("TLS cannot be set up: {error}")))
    }
}

fn is_local(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}
