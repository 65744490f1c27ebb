//! Each item breaks one ban of the repository's clippy.toml. The comment names the banned path.

pub type Single = f32; // f32
pub type Double = f64; // f64
pub type Map = std::collections::HashMap<u32, u32>; // std::collections::HashMap
pub type Set = std::collections::HashSet<u32>; // std::collections::HashSet
pub type State = std::hash::RandomState; // std::hash::RandomState
pub type Hasher = std::hash::DefaultHasher; // std::hash::DefaultHasher
pub type Monotonic = std::time::Instant; // std::time::Instant
pub type Wall = std::time::SystemTime; // std::time::SystemTime
pub type Thread = std::thread::ThreadId; // std::thread::ThreadId

pub fn methods(mut items: Vec<u32>) {
    let _ = std::time::Instant::now(); // std::time::Instant::now
    let _ = std::time::SystemTime::now(); // std::time::SystemTime::now
    let _ = std::thread::spawn(|| ()); // std::thread::spawn
    let _ = std::thread::current(); // std::thread::current
    std::thread::sleep(std::time::Duration::ZERO); // std::thread::sleep
    let _ = std::thread::available_parallelism(); // std::thread::available_parallelism
    let _ = std::env::var("SEED"); // std::env::var
    let _ = std::env::vars(); // std::env::vars
    items.sort_unstable(); // slice::sort_unstable
    items.sort_unstable_by(|a, b| a.cmp(b)); // slice::sort_unstable_by
    items.sort_unstable_by_key(|a| *a); // slice::sort_unstable_by_key
}

pub fn unfinished() -> u32 {
    todo!() // std::todo
}

pub fn unimplemented() -> u32 {
    unimplemented!() // std::unimplemented
}

pub fn debugging() -> u32 {
    dbg!(1) // std::dbg
}
