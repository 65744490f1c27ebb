//! Settings as command line arguments: one for each of [`FIELDS`].

use super::text::FIELDS;
use super::{SettingError, Settings};
use clap::{Arg, ArgAction, ArgMatches};

/// All arguments.
pub(crate) fn arguments() -> impl Iterator<Item = Arg> {
    FIELDS.iter().map(|field| {
        let action = if field.many { ArgAction::Append } else { ArgAction::Set };
        let check = |value: &str| match Settings::default().set(field.name, value) {
            Ok(_) => Ok(value.to_owned()),
            Err(SettingError::Value { wanted, .. }) => Err(format!("give {wanted}")),
            Err(error) => Err(error.to_string()),
        };
        let arg = Arg::new(field.name).long(field.name).value_name(field.value).action(action);
        arg.help(field.help).value_parser(check)
    })
}

/// Reads the settings from arguments; missing ones have their defaults.
pub(crate) fn from_arguments(arguments: &ArgMatches) -> Result<Settings, SettingError> {
    let mut settings = Settings::default();
    for field in &FIELDS {
        for value in arguments.get_many::<String>(field.name).into_iter().flatten() {
            settings.set(field.name, value)?;
        }
    }
    settings.check()?;
    Ok(settings)
}
