//! Keys and documents on a disk: one line of text each, a name with a version and then hex.
//!
//! Secrets are created for their owner alone, never written over, and refused when others can read them. No error
//! says what is in a file.

use super::credentials::{Credentials, CredentialsError};
use super::ids::{read_hex, write_hex};
use super::keys::{MatchmakerKey, MatchmakerPublic, StaticKey};
use super::roster::{Roster, RosterError};
use super::token::{Token, TokenError};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Longer than the longest roster in hex, with its name.
const MAX_FILE_BYTES: u64 = 1024;

/// The files of [`Credentials`], the secret first.
const FILE_NAMES: [&str; 4] = ["key", "token", "roster", "matchmaker.pub"];

/// What went wrong with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// It is there already.
    #[error("{} is there already and is never written over: choose another place, or move it away", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Others can read the secret.
    #[error("others can read the secret in {0} (mode {mode:03o}): run `chmod 600 {0}`, or make a new key if \
             somebody did", path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Who may do what.
        mode: u32,
    },
    /// The operating system refused.
    #[error("{}: {error}; look whether it exists and you may use it", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// Something else is in it.
    #[error("{} is not what it should be, one line with `{expected}` and hex: copy the file again", path.display())]
    WrongFormat {
        /// The file.
        path: PathBuf,
        /// How it should begin.
        expected: &'static str,
    },
    /// The token in it is no good.
    #[error("{}: {error}", path.display())]
    Token {
        /// The file.
        path: PathBuf,
        /// Why.
        error: TokenError,
    },
    /// The roster in it is no good.
    #[error("{}: {error}", path.display())]
    Roster {
        /// The file.
        path: PathBuf,
        /// Why.
        error: RosterError,
    },
    /// The files of a folder don't belong together.
    #[error("{}: {error}", path.display())]
    Credentials {
        /// The folder.
        path: PathBuf,
        /// Why.
        error: CredentialsError,
    },
}

/// Creates a file that only its owner can read (mode 600; on other systems than Unix the folder decides).
///
/// # Errors
/// When it exists already, or can't be created.
pub fn save_secret(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), FileError> {
    create(path.as_ref(), bytes, true)
}

fn create(path: &Path, bytes: &[u8], secret: bool) -> Result<(), FileError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if secret {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = secret;
    let mut file = options.open(path).map_err(|error| failed(path, error))?;
    file.write_all(bytes).map_err(|error| {
        // Half a key would be in the way of the next attempt.
        let _ = std::fs::remove_file(path);
        failed(path, error)
    })
}

fn read(path: &Path, secret: bool) -> Result<Zeroizing<Vec<u8>>, FileError> {
    let file = File::open(path).map_err(|error| failed(path, error))?;
    if secret {
        check_permissions(path, &file)?;
    }
    // A vector that grows leaves what it held in the memory it leaves.
    let mut bytes = Zeroizing::new(Vec::with_capacity(2 * MAX_FILE_BYTES as usize));
    file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).map_err(|error| failed(path, error))?;
    Ok(bytes)
}

#[cfg(unix)]
fn check_permissions(path: &Path, file: &File) -> Result<(), FileError> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = file.metadata().map_err(|error| failed(path, error))?;
    let mode = metadata.permissions().mode() & 0o777;
    let others = mode & 0o077;
    if others == 0 { Ok(()) } else { Err(FileError::Exposed { path: path.to_owned(), mode }) }
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
fn check_permissions(_: &Path, _: &File) -> Result<(), FileError> {
    Ok(())
}

fn failed(path: &Path, error: io::Error) -> FileError {
    let path = path.to_owned();
    match error.kind() {
        io::ErrorKind::AlreadyExists => FileError::Exists { path },
        _ => FileError::Io { path, error },
    }
}

/// Creates a folder, for its owner alone, unless it is there.
fn create_folder(path: &Path) -> Result<(), FileError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| failed(path, error))
}

/// How a thing stands in a file. Public by name only, so that nobody else can store secrets in some other way.
mod file_format {
    use super::{FileError, Path, Zeroizing};

    pub trait FileFormat: Sized {
        const NAME: &'static str;
        const SECRET: bool;
        fn bytes(&self) -> Zeroizing<Vec<u8>>;
        fn parse(bytes: &[u8], path: &Path) -> Result<Self, FileError>;
    }
}
use file_format::FileFormat;

/// What can lie in a file, as one line of text. Secrets are for their owner alone.
pub trait Stored: FileFormat {
    /// Creates the file.
    ///
    /// # Errors
    /// When it exists already, or can't be created.
    fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let bytes = self.bytes();
        let mut text =
            Zeroizing::new(String::with_capacity(Self::NAME.len() + 2 + 2 * bytes.len()));
        text.push_str(Self::NAME);
        text.push(' ');
        write_hex(&mut *text, &bytes).expect("a string takes everything");
        text.push('\n');
        create(path.as_ref(), text.as_bytes(), Self::SECRET)
    }

    /// Reads the file.
    ///
    /// # Errors
    /// When it can't be read, others can read a secret in it, or something else is in it.
    fn load(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let text = read(path, Self::SECRET)?;
        let wrong_format = || wrong_format::<Self>(path);
        let hex = text.strip_prefix(Self::NAME.as_bytes()).ok_or_else(wrong_format)?;
        let hex = hex.strip_prefix(b" ").ok_or_else(wrong_format)?.trim_ascii();
        let mut bytes = Zeroizing::new(vec![0; hex.len() / 2]);
        if read_hex(hex, &mut bytes) { Self::parse(&bytes, path) } else { Err(wrong_format()) }
    }
}

impl<T: FileFormat> Stored for T {}

fn wrong_format<T: FileFormat>(path: &Path) -> FileError {
    FileError::WrongFormat { path: path.to_owned(), expected: T::NAME }
}

/// The three kinds of key: 32 bytes.
macro_rules! key_format {
    ($type:ty, $name:literal, $secret:literal, $bytes:expr, $from:expr) => {
        impl FileFormat for $type {
            const NAME: &'static str = $name;
            const SECRET: bool = $secret;

            fn bytes(&self) -> Zeroizing<Vec<u8>> {
                let bytes: Zeroizing<[u8; 32]> = Zeroizing::new($bytes(self));
                Zeroizing::new(bytes.to_vec())
            }

            fn parse(bytes: &[u8], path: &Path) -> Result<Self, FileError> {
                let bytes: &[u8; 32] = bytes.try_into().map_err(|_| wrong_format::<Self>(path))?;
                Ok($from(*bytes))
            }
        }
    };
}

key_format!(StaticKey, "isostep-key-v1", true, Self::to_bytes, Self::from_bytes);
key_format!(MatchmakerKey, "isostep-matchmaker-key-v1", true, Self::to_bytes, Self::from_bytes);
key_format!(MatchmakerPublic, "isostep-matchmaker-v1", false, |key: &Self| key.0, Self);

impl FileFormat for Token {
    const NAME: &'static str = "isostep-token-v1";
    const SECRET: bool = false;

    fn bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(self.encode().to_vec())
    }

    fn parse(bytes: &[u8], path: &Path) -> Result<Self, FileError> {
        Self::decode(bytes).map_err(|error| FileError::Token { path: path.to_owned(), error })
    }
}

impl FileFormat for Roster {
    const NAME: &'static str = "isostep-roster-v1";
    const SECRET: bool = false;

    fn bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(self.encode())
    }

    fn parse(bytes: &[u8], path: &Path) -> Result<Self, FileError> {
        Self::decode(bytes).map_err(|error| FileError::Roster { path: path.to_owned(), error })
    }
}

impl Credentials {
    /// Reads `key`, `token`, `roster` and `matchmaker.pub` from a folder.
    ///
    /// # Errors
    /// When one of them can't be read, others can read the key, or they don't belong together.
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, FileError> {
        let folder = folder.as_ref();
        let [key, token, roster, matchmaker] = FILE_NAMES.map(|name| folder.join(name));
        let (key, token) = (StaticKey::load(key)?, Token::load(token)?);
        let (roster, matchmaker) = (Roster::load(roster)?, MatchmakerPublic::load(matchmaker)?);
        Self::new(key, token, roster, matchmaker)
            .map_err(|error| FileError::Credentials { path: folder.to_owned(), error })
    }

    /// Creates `key`, `token`, `roster` and `matchmaker.pub` in a folder, and the folder if need be.
    ///
    /// # Errors
    /// When one of them exists already, or can't be created.
    pub fn save(&self, folder: impl AsRef<Path>) -> Result<(), FileError> {
        let folder = folder.as_ref();
        create_folder(folder)?;
        let paths = FILE_NAMES.map(|name| folder.join(name));
        if let Some(path) = paths.iter().find(|path| path.exists()) {
            return Err(FileError::Exists { path: path.clone() });
        }
        let [key, token, roster, matchmaker] = paths;
        self.key().save(key)?;
        self.token().save(token)?;
        self.roster().save(roster)?;
        self.matchmaker().save(matchmaker)
    }
}
