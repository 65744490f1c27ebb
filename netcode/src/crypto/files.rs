//! Key and document files: one line of text each, a versioned format name followed by hex.
//!
//! Secret files are created with mode 600, are never overwritten, and are rejected if other users can read them. Errors
//! never contain file contents.

use super::credentials::{Credentials, CredentialsError};
use super::ids::{read_hex, write_hex};
use super::keys::{MatchmakerKey, MatchmakerPublic, StaticKey};
use super::roster::{Roster, RosterError};
use super::token::{Token, TokenError};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Upper bound: more than the longest roster in hex with its format name.
const MAX_FILE_BYTES: u64 = 1024;

/// File names of [`Credentials`] in a folder, the secret key first.
const FILE_NAMES: [&str; 4] = ["key", "token", "roster", "matchmaker.pub"];

/// Errors of reading or writing key and document files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file exists.
    #[error("{} exists and is never overwritten; choose another path, or move the file away", path.display())]
    Exists {
        /// Path of the file.
        path: PathBuf,
    },
    /// Other users can read the secret.
    #[error("other users can read the secret in {0} (mode {mode:03o}); run `chmod 600 {0}`, or generate a new key if \
             it may have been read", path.display())]
    Exposed {
        /// Path of the file.
        path: PathBuf,
        /// Permission bits of the file.
        mode: u32,
    },
    /// The operating system returned an error.
    #[error("{}: {error}; check that the file exists and is accessible", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// The file has another format.
    #[error("{} is not one line of `{expected}` and hex; copy the file again", path.display())]
    WrongFormat {
        /// Path of the file.
        path: PathBuf,
        /// Expected format name.
        expected: &'static str,
    },
    /// The token in the file is invalid.
    #[error("{}: {error}", path.display())]
    Token {
        /// Path of the file.
        path: PathBuf,
        /// Reason.
        error: TokenError,
    },
    /// The roster in the file is invalid.
    #[error("{}: {error}", path.display())]
    Roster {
        /// Path of the file.
        path: PathBuf,
        /// Reason.
        error: RosterError,
    },
    /// The files in the folder do not belong together.
    #[error("{}: {error}", path.display())]
    Credentials {
        /// Path of the folder.
        path: PathBuf,
        /// Reason.
        error: CredentialsError,
    },
}

/// Creates a file that only its owner can read: mode 600 on Unix. On other systems the folder's permissions apply.
///
/// # Errors
/// The file exists, or cannot be created.
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
        // A partial key would block the next attempt.
        let _ = std::fs::remove_file(path);
        failed(path, error)
    })
}

fn read(path: &Path, secret: bool) -> Result<Zeroizing<Vec<u8>>, FileError> {
    let file = File::open(path).map_err(|error| failed(path, error))?;
    if secret {
        check_permissions(path, &file)?;
    }
    // A growing vector would leave copies of the secret in freed memory.
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

/// Creates a folder with mode 700, unless it exists.
fn create_folder(path: &Path) -> Result<(), FileError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| failed(path, error))
}

/// File format of a key or document. Sealed by a private module: no other type can choose how secrets are stored.
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

/// Key or document that is stored as one line of text. Files of secrets are readable by their owner only.
pub trait Stored: FileFormat {
    /// Creates the file.
    ///
    /// # Errors
    /// The file exists, or cannot be created.
    fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let bytes = self.bytes();
        let mut text =
            Zeroizing::new(String::with_capacity(Self::NAME.len() + 2 + 2 * bytes.len()));
        text.push_str(Self::NAME);
        text.push(' ');
        write_hex(&mut *text, &bytes).expect("writing to a string does not fail");
        text.push('\n');
        create(path.as_ref(), text.as_bytes(), Self::SECRET)
    }

    /// Reads the file.
    ///
    /// # Errors
    /// The file cannot be read, has another format, or holds a secret that other users can read.
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

/// Implements [`FileFormat`] for a 32-byte key.
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
    /// A file cannot be read, other users can read the key, or the files do not belong together.
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, FileError> {
        let folder = folder.as_ref();
        let [key, token, roster, matchmaker] = FILE_NAMES.map(|name| folder.join(name));
        let (key, token) = (StaticKey::load(key)?, Token::load(token)?);
        let (roster, matchmaker) = (Roster::load(roster)?, MatchmakerPublic::load(matchmaker)?);
        Self::new(key, token, roster, matchmaker)
            .map_err(|error| FileError::Credentials { path: folder.to_owned(), error })
    }

    /// Creates `key`, `token`, `roster` and `matchmaker.pub` in a folder. Creates the folder if it is missing.
    ///
    /// # Errors
    /// A file exists, or cannot be created.
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
