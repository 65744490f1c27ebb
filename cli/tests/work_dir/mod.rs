//! A test's folder, and the real command in it.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// An empty folder, removed on drop.
pub(crate) struct WorkDir(pub(crate) PathBuf);

impl WorkDir {
    pub(crate) fn new(name: &str) -> Self {
        // Tests run in parallel, and some share a name.
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(format!("isostep-cli-{process}-{count}-{name}"));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Runs a subcommand of `isostep` here; returns exit code and output.
    #[allow(dead_code, reason = "the guide's commands are run by a shell")]
    pub(crate) fn run(&self, part: &str, arguments: &str) -> (i32, String) {
        let done = Command::new(env!("CARGO_BIN_EXE_isostep"))
            .current_dir(&self.0)
            .arg(part)
            .args(arguments.split(' '))
            .output()
            .expect("the command starts");
        let report = [done.stdout, done.stderr].concat();
        (done.status.code().unwrap(), String::from_utf8(report).unwrap())
    }
}

impl Drop for WorkDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
