//! Controls of the page: untrusted JSON, parsed and checked before the match thread sees it.
//! Settings use the names and values of URLs and flags, so the page needs no format of its own.

use crate::settings::{FaultKind, FaultTarget, MAX_PLAYERS, SettingError, Settings};
use isostep_viewer::internals::{NoSuchSwitch, Switches};
use serde::Deserialize;

/// A control of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// Start a match from a URL.
    Open(Box<Settings>),
    /// Restart the match with the same settings and without its faults.
    Restart,
    /// Change one setting.
    Set { name: String, value: String },
    /// Current keys of player one.
    Keys { x: i8, y: i8, jump: bool, shove: bool },
    /// Show debug lines of these switches.
    Lines(Switches),
    /// Inject a fault now.
    Fault { machine: u8, kind: FaultKind },
}

/// JSON form of [`Control`].
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum ControlJson {
    Open { query: String },
    Restart {},
    Set { name: String, value: String },
    Keys { x: i8, y: i8, jump: bool, shove: bool },
    Lines { on: String },
    Cut { machine: u8 },
    Flip { machine: u8, target: TargetJson, always: bool },
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum TargetJson {
    Velocity,
    Score,
}

/// Errors of a control.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ControlError {
    #[error("not a control: {0}")]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error(transparent)]
    Lines(#[from] NoSuchSwitch),
    #[error("{what} is {value}: at most {most}")]
    Range { what: &'static str, value: u8, most: u8 },
}

impl Control {
    pub(crate) fn read(json: &[u8]) -> Result<Self, ControlError> {
        Ok(match serde_json::from_slice(json)? {
            ControlJson::Open { query } => Self::Open(Box::new(Settings::from_query(&query)?)),
            ControlJson::Restart {} => Self::Restart,
            ControlJson::Set { name, value } => {
                // Only the match knows which machines exist; it checks their numbers.
                Settings::default().set(&name, &value)?;
                Self::Set { name, value }
            }
            ControlJson::Keys { x, y, jump, shove } => {
                within("x", x.unsigned_abs(), 127)?;
                within("y", y.unsigned_abs(), 127)?;
                Self::Keys { x, y, jump, shove }
            }
            ControlJson::Lines { on } => Self::Lines(Switches::read(&on)?),
            ControlJson::Cut { machine } => {
                within("machine", machine, MAX_PLAYERS - 1)?;
                Self::Fault { machine, kind: FaultKind::Disconnect }
            }
            ControlJson::Flip { machine, target, always } => {
                within("machine", machine, MAX_PLAYERS - 1)?;
                let target = match target {
                    TargetJson::Velocity => FaultTarget::Velocity,
                    TargetJson::Score => FaultTarget::Score,
                };
                Self::Fault { machine, kind: FaultKind::BitFlip { target, always } }
            }
        })
    }
}

const fn within(what: &'static str, value: u8, most: u8) -> Result<(), ControlError> {
    if value <= most { Ok(()) } else { Err(ControlError::Range { what, value, most }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_parses() {
        for json in [
            r#"{"do":"keys","x":-127,"y":127,"jump":true,"shove":false}"#,
            r#"{"do":"open","query":"?seed=5&net=wifi&link=1-2:300,300,30,20"}"#,
            r#"{"do":"open","query":""}"#,
            r#"{"do":"restart"}"#,
            r#"{"do":"set","name":"delay","value":"8"}"#,
            r#"{"do":"set","name":"link","value":"1-2:same"}"#,
            r#"{"do":"lines","on":""}"#,
            r#"{"do":"lines","on":"contacts,islands"}"#,
            r#"{"do":"cut","machine":3}"#,
            r#"{"do":"flip","machine":0,"target":"score","always":true}"#,
        ] {
            assert!(Control::read(json.as_bytes()).is_ok(), "{json}");
        }
    }

    #[test]
    fn invalid_values_are_refused() {
        for json in [
            String::new(),
            "null".to_owned(),
            "[".repeat(4000),
            r#"{"do":"nothing"}"#.to_owned(),
            r#"{"do":"keys","x":-128,"y":0,"jump":false,"shove":false}"#.to_owned(),
            r#"{"do":"keys","x":1e9,"y":0,"jump":false,"shove":false}"#.to_owned(),
            r#"{"do":"set","name":"delay","value":"13"}"#.to_owned(),
            r#"{"do":"set","name":"delay","value":8}"#.to_owned(),
            r#"{"do":"set","name":"delay","value":"1","more":2}"#.to_owned(),
            r#"{"do":"set","name":"mood","value":"1"}"#.to_owned(),
            r#"{"do":"lines","on":"mood"}"#.to_owned(),
            r#"{"do":"lines"}"#.to_owned(),
            r#"{"do":"cut","machine":4}"#.to_owned(),
            r#"{"do":"flip","machine":0,"target":"mood","always":true}"#.to_owned(),
            r#"{"do":"open","query":"players=9"}"#.to_owned(),
            r#"{"do":"open","query":"link=1-4:wifi"}"#.to_owned(),
        ] {
            assert!(Control::read(json.as_bytes()).is_err(), "{json}");
        }
    }
}
