//! Web server of the pages: the viewer of recordings, and the lab of the command. Both are served on the loopback
//! interface only, from embedded files.
//!
//! - `http`: untrusted requests, parsed within limits.
//! - `server`: a port, a thread for each connection, responses. Each page brings its own routes.
//! - `page/`: files that both pages load.

mod http;
mod server;

pub use http::{Method, Refusal, Request, refuse};
pub use server::{
    CSS, File, HTML, Permit, PortError, SCRIPT, TEXT, head, open, respond, send_file, send_refusal,
    serve,
};

/// Files that both pages load.
pub const SHARED: [File; 9] = [
    ("/base.css", CSS, include_str!("page/base.css")),
    ("/camera.js", SCRIPT, include_str!("page/camera.js")),
    ("/draw.js", SCRIPT, include_str!("page/draw.js")),
    ("/lines.js", SCRIPT, include_str!("page/lines.js")),
    ("/meshes.js", SCRIPT, include_str!("page/meshes.js")),
    ("/motion.js", SCRIPT, include_str!("page/motion.js")),
    ("/names.js", SCRIPT, include_str!("page/names.js")),
    ("/switches.js", SCRIPT, include_str!("page/switches.js")),
    ("/theme.js", SCRIPT, include_str!("page/theme.js")),
];
