//! A referee that says what a test tells it to.

use std::path::Path;

use tokio::net::{TcpListener, UnixListener};
use tokio::sync::mpsc;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream, UnixListenerStream};
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};

use crate::Settings;
use crate::wire::v1::referee_service_server::{RefereeService, RefereeServiceServer};
use crate::wire::v1::{
    Asked, GameOver, Goodbye, Hello, Move, PlayRequest, PlayResponse, Refusal, RefusalReason, Rules, Trump, Turn,
    Turns, Variant, View, Welcome, play_request, play_response::Payload,
};

/// Where bots dial, and the streams that they open.
pub struct Referee {
    pub settings: Settings,
    streams: mpsc::Receiver<Stream>,
}

impl Referee {
    /// Listens on a free port.
    pub async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (service, referee) = Self::listening(address);
        let incoming = TcpListenerStream::new(listener);
        tokio::spawn(Server::builder().serve_with_incoming(service, incoming));
        referee
    }

    /// Listens on a Unix socket.
    pub fn on_socket(path: &Path) -> Self {
        let listener = UnixListener::bind(path).unwrap();
        let (service, referee) = Self::listening(format!("unix:{}", path.display()));
        let incoming = UnixListenerStream::new(listener);
        tokio::spawn(Server::builder().serve_with_incoming(service, incoming));
        referee
    }

    fn listening(server: String) -> (RefereeServiceServer<Service>, Self) {
        let (sender, streams) = mpsc::channel(8);
        let settings = Settings { server, token: "secret".into(), ca: None, ..Settings::from("tester") };
        (RefereeServiceServer::new(Service(sender)), Referee { settings, streams })
    }

    /// The next stream, and the hello on it.
    pub async fn stream(&mut self) -> (Stream, Hello) {
        let mut stream = self.streams.recv().await.unwrap();
        let Some(play_request::Payload::Hello(hello)) = stream.hear().await else { panic!("no hello") };
        (stream, hello)
    }

    /// The next stream, welcomed.
    pub async fn welcomed(&mut self, resumed: bool) -> (Stream, Hello) {
        let (mut stream, hello) = self.stream().await;
        let welcome = Welcome { resume_key: b"key".into(), resumed, protocol: 1, ..Welcome::default() };
        stream.say(Payload::Welcome(welcome)).await;
        (stream, hello)
    }
}

struct Service(mpsc::Sender<Stream>);

#[tonic::async_trait]
impl RefereeService for Service {
    type PlayStream = ReceiverStream<Result<PlayResponse, Status>>;

    async fn play(&self, request: Request<Streaming<PlayRequest>>) -> Result<Response<Self::PlayStream>, Status> {
        let (sender, said) = mpsc::channel(64);
        let stream = Stream { heard: request.into_inner(), sender, moves: Vec::new() };
        self.0.send(stream).await.map_err(|_| Status::unavailable("the test is over"))?;
        Ok(Response::new(ReceiverStream::new(said)))
    }
}

/// One stream, from the referee's side.
pub struct Stream {
    heard: Streaming<PlayRequest>,
    sender: mpsc::Sender<Result<PlayResponse, Status>>,
    moves: Vec<Move>,
}

impl Stream {
    /// What the bot says next; `None` once it says no more.
    pub async fn hear(&mut self) -> Option<play_request::Payload> {
        self.heard.next().await?.ok()?.payload
    }

    /// The next move, whatever list it comes in.
    pub async fn next_move(&mut self) -> Move {
        while self.moves.is_empty() {
            match self.hear().await {
                Some(play_request::Payload::Moves(moves)) => self.moves = moves.moves,
                other => panic!("no move but {other:?}"),
            }
        }
        self.moves.remove(0)
    }

    pub async fn say(&mut self, payload: Payload) {
        self.say_raw(PlayResponse { payload: Some(payload) }).await;
    }

    pub async fn say_raw(&mut self, response: PlayResponse) {
        self.sender.send(Ok(response)).await.unwrap();
    }

    pub async fn ask(&mut self, turns: impl Into<Vec<Turn>>) {
        self.say(Payload::Turns(Turns { turns: turns.into() })).await;
    }

    pub async fn over(&mut self, game_id: &str, seat: u32) {
        self.say(Payload::GameOver(GameOver { game_id: game_id.into(), seat, ..GameOver::default() })).await;
    }

    pub async fn refuse(mut self, reason: RefusalReason, message: &str) {
        let refusal = Refusal { reason: reason.into(), message: message.into(), ..Refusal::default() };
        self.say(Payload::Refusal(refusal)).await;
    }

    pub async fn goodbye(mut self) {
        self.say(Payload::Goodbye(Goodbye { reason: "closing".into() })).await;
    }

    /// Ends the stream with a status.
    pub async fn end(self, status: Status) {
        self.sender.send(Err(status)).await.unwrap();
    }
}

/// A question to seat 1 of three, which holds 5C, JS and LO.
pub fn turn(game_id: &str, decision_id: u64, asked: Asked) -> Turn {
    let rules = Rules { seats: 3, variant: Variant::Standard.into(), hands: vec![4, 3, 2], ..Rules::default() };
    let view = View {
        rules: Some(rules),
        totals: vec![0, -10, 20],
        size: 4,
        dealer: 1,
        trump: Some(Trump::Clubs.into()),
        turned: Some(7),
        cards: vec![3, 48, 52],
        bids: vec![1, 2, 0],
        tricks_won: vec![0, 0, 1],
        ..View::default()
    };
    let legal = if asked == Asked::Play { vec![48, 52] } else { vec![1, 2, 3, 4] };
    Turn {
        game_id: game_id.into(),
        seat: 1,
        decision_id,
        asked: asked.into(),
        legal,
        view: Some(view),
        ..Turn::default()
    }
}
