//! Constant data for a page, sent before the first frame: the settings in every form, and the
//! drawables.

use super::Play;
use crate::drawable::Known;
use crate::settings::{FIELDS, PROFILES, Settings};
use isostep_viewer::internals::scene;
use serde_json::{Value, json};

impl Play {
    /// Everything that does not change from tick to tick.
    pub(crate) fn scene(&self) -> Value {
        let profiles = PROFILES.map(|(name, link)| json!({ "name": name, "link": link }));
        let anew = FIELDS.iter().filter(|field| field.anew).map(|field| field.name);
        let mut scene = scene(&Known, self.fleet.machines()[0].game.tumble());
        if let (Some(scene), Value::Object(words)) = (scene.as_object_mut(), self.settings.json()) {
            scene.extend(words);
        }
        scene["profiles"] = json!(profiles);
        // Names of settings that restart the match.
        scene["anew"] = json!(anew.collect::<Vec<_>>());
        scene
    }
}

impl Settings {
    /// Settings as values, as a URL and as a command.
    pub(crate) fn json(&self) -> Value {
        json!({ "settings": self, "query": self.query(), "command": self.command() })
    }
}
