//! Makes the messages and the stub of bluke.v1 from the repository's own `.proto` files.

use std::error::Error;

const PROTO: &str = "../../proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={PROTO}");
    let files = protox::compile(["bluke/v1/play.proto"], [PROTO])?;
    tonic_prost_build::configure()
        // Only the tests have a referee.
        .server_mod_attribute(".", "#[cfg(test)]")
        .disable_comments(["."])
        .compile_fds(files)?;
    Ok(())
}
