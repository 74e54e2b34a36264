//! Tests against a referee that says what a test tells it to, and against the project's vectors.

mod line;
mod referee;
mod settings;
mod streams;
mod turns;
mod vectors;
