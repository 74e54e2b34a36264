//! Which addresses are dialled, and how.

use std::path::PathBuf;

use crate::{Error, Settings};

fn settings(server: &str) -> Settings {
    Settings { server: server.into(), ca: None, insecure: false, ..Settings::from("tester") }
}

#[tokio::test]
async fn only_this_machine_is_spoken_to_in_plain_text() {
    for (server, uri) in [
        ("localhost:7373", "http://localhost:7373/"),
        ("127.0.0.1:7373", "http://127.0.0.1:7373/"),
        ("[::1]:7373", "http://[::1]:7373/"),
        ("dns:///localhost:7373", "http://localhost:7373/"),
        ("127.example.org:7373", "https://127.example.org:7373/"),
        ("arena.example.org:443", "https://arena.example.org:443/"),
        ("[2001:db8::1]:7373", "https://[2001:db8::1]:7373/"),
    ] {
        assert_eq!(settings(server).endpoint().unwrap().uri().to_string(), uri);
    }
    let insecure = Settings { insecure: true, ..settings("arena.example.org:7373") };
    assert_eq!(insecure.endpoint().unwrap().uri().scheme_str(), Some("http"));
    assert!(settings("unix:/run/bluke/referee").endpoint().is_ok());
}

#[test]
fn a_wrong_setting_is_told_with_its_cure() {
    for server in ["", "localhost", ":7373", "localhost:", "localhost:port", "localhost:70000", "a b:7373", "http://a"]
    {
        let Err(Error::Setup(text)) = settings(server).endpoint() else { panic!("{server:?} was taken") };
        assert!(text.contains("BLUKE_SERVER"), "{text}");
    }
    for ca in ["/nowhere/ca.pem", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")] {
        let settings = Settings { ca: Some(PathBuf::from(ca)), ..settings("localhost:7373") };
        let Err(Error::Setup(text)) = settings.endpoint() else { panic!("{ca} was taken") };
        assert!(text.contains(ca) && text.contains("BLUKE_CA"), "{text}");
    }
}
