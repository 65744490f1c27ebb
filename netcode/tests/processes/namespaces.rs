//! Machines as network namespaces: one per player, connected to this one by a veth pair, with the proxy between them.

use std::net::Ipv4Addr;
use std::process::Command;

/// Namespaces that are gone when this is dropped.
pub(crate) struct Namespaces {
    names: Vec<String>,
}

impl Namespaces {
    /// So many, each with a cable.
    ///
    /// # Errors
    /// With the reason, where the machine does not allow it.
    pub(crate) fn new(count: u8) -> Result<Self, String> {
        let mut all = Self { names: Vec::new() };
        for player in 0..count {
            // Names of this run alone: several may run at once.
            let id = std::process::id() % 100_000;
            let (name, cable) = (format!("isostep-{id}-{player}"), format!("iso{id}-{player}"));
            ip(&["netns", "add", &name])?;
            all.names.push(name.clone());
            let (here, there) = (gate(player), host(player));
            ip(&["link", "add", &cable, "type", "veth", "peer", "name", "cable", "netns", &name])?;
            ip(&["addr", "add", &format!("{here}/30"), "dev", &cable])?;
            ip(&["link", "set", &cable, "up"])?;
            ip(&["-n", &name, "addr", "add", &format!("{there}/30"), "dev", "cable"])?;
            ip(&["-n", &name, "link", "set", "cable", "up"])?;
        }
        Ok(all)
    }

    /// The name of a player's.
    pub(crate) fn name(&self, player: u8) -> &str {
        &self.names[usize::from(player)]
    }
}

/// The end of a player's cable on this side.
pub(crate) const fn gate(player: u8) -> Ipv4Addr {
    Ipv4Addr::new(10, 201, player, 1)
}

/// The end of the cable on the player's side.
pub(crate) const fn host(player: u8) -> Ipv4Addr {
    Ipv4Addr::new(10, 201, player, 2)
}

fn ip(arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("ip").args(arguments).output();
    let output = output.map_err(|error| format!("ip: {error}; install iproute2"))?;
    if output.status.success() {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&output.stderr);
    Err(format!("ip {}: {}", arguments.join(" "), why.trim()))
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        for name in &self.names {
            // Its cable goes with it.
            let _ = ip(&["netns", "del", name]);
        }
    }
}
