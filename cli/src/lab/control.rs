//! What the page may ask for: JSON from anywhere, read and checked before the stage sees it. Settings come as the words
//! that an address and a command have, so the page knows nothing of how they are written.

use crate::settings::{Deed, MAX_PLAYERS, SettingError, Settings, Spot};
use serde::Deserialize;

/// What the page may ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// A new match, by an address.
    Open(Box<Settings>),
    /// A new match with the settings of this one, and nothing of what went wrong in it.
    Restart,
    /// Another value of a setting.
    Set { name: String, value: String },
    /// What player one's keys are now.
    Keys { x: i8, y: i8, jump: bool, shove: bool },
    /// Something goes wrong.
    Trouble { machine: u8, deed: Deed },
}

/// The same as JSON.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum Said {
    Open { query: String },
    Restart {},
    Set { name: String, value: String },
    Keys { x: i8, y: i8, jump: bool, shove: bool },
    Cut { machine: u8 },
    Plant { machine: u8, spot: SaidSpot, always: bool },
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum SaidSpot {
    Velocity,
    Score,
}

/// Why a control is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ControlError {
    #[error("not a control: {0}")]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error("{what} is {value}: at most {most}")]
    Range { what: &'static str, value: u8, most: u8 },
}

impl Control {
    pub(crate) fn read(json: &[u8]) -> Result<Self, ControlError> {
        Ok(match serde_json::from_slice(json)? {
            Said::Open { query } => Self::Open(Box::new(Settings::from_query(&query)?)),
            Said::Restart {} => Self::Restart,
            Said::Set { name, value } => {
                // Whether the machines that it names play, the match knows.
                Settings::default().set(&name, &value)?;
                Self::Set { name, value }
            }
            Said::Keys { x, y, jump, shove } => {
                within("x", x.unsigned_abs(), 127)?;
                within("y", y.unsigned_abs(), 127)?;
                Self::Keys { x, y, jump, shove }
            }
            Said::Cut { machine } => {
                within("machine", machine, MAX_PLAYERS - 1)?;
                Self::Trouble { machine, deed: Deed::Cut }
            }
            Said::Plant { machine, spot, always } => {
                within("machine", machine, MAX_PLAYERS - 1)?;
                let spot = match spot {
                    SaidSpot::Velocity => Spot::Velocity,
                    SaidSpot::Score => Spot::Score,
                };
                Self::Trouble { machine, deed: Deed::Plant { spot, always } }
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
    fn every_control_is_understood() {
        for json in [
            r#"{"do":"keys","x":-127,"y":127,"jump":true,"shove":false}"#,
            r#"{"do":"open","query":"?seed=5&net=wifi&link=1-2:300,300,30,20"}"#,
            r#"{"do":"open","query":""}"#,
            r#"{"do":"restart"}"#,
            r#"{"do":"set","name":"delay","value":"8"}"#,
            r#"{"do":"set","name":"link","value":"1-2:same"}"#,
            r#"{"do":"cut","machine":3}"#,
            r#"{"do":"plant","machine":0,"spot":"score","always":true}"#,
        ] {
            assert!(Control::read(json.as_bytes()).is_ok(), "{json}");
        }
    }

    #[test]
    fn bad_values_are_refused() {
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
            r#"{"do":"cut","machine":4}"#.to_owned(),
            r#"{"do":"plant","machine":0,"spot":"mood","always":true}"#.to_owned(),
            r#"{"do":"open","query":"players=9"}"#.to_owned(),
            r#"{"do":"open","query":"link=1-4:wifi"}"#.to_owned(),
        ] {
            assert!(Control::read(json.as_bytes()).is_err(), "{json}");
        }
    }
}
