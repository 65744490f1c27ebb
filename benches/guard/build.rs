//! Records the compiler version: instruction counts are valid for one compiler only.

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = std::process::Command::new(rustc).arg("--version").output();
    let version = output.map_or_else(
        |_| String::new(),
        |output| String::from_utf8_lossy(&output.stdout).into_owned(),
    );
    println!("cargo::rustc-env=GUARD_RUSTC={}", version.trim());
    println!("cargo::rerun-if-changed=build.rs");
}
