//! What a page has to know once, before the first frame: the settings, in every form, and what there is to draw.

use super::Play;
use crate::drawable::scene;
use crate::settings::{FIELDS, PROFILES, Settings};
use serde_json::{Value, json};

impl Play {
    /// All that does not change from tick to tick.
    pub(crate) fn scene(&self) -> Value {
        let profiles = PROFILES.map(|(name, link)| json!({ "name": name, "link": link }));
        let anew = FIELDS.iter().filter(|field| field.anew).map(|field| field.name);
        let mut scene = scene(self.fleet.machines()[0].game.tumble());
        if let (Some(scene), Value::Object(words)) = (scene.as_object_mut(), self.settings.json()) {
            scene.extend(words);
        }
        scene["profiles"] = json!(profiles);
        // Settings that begin the match anew.
        scene["anew"] = json!(anew.collect::<Vec<_>>());
        scene
    }
}

impl Settings {
    /// As values, as an address and as a command.
    pub(crate) fn json(&self) -> Value {
        json!({ "settings": self, "query": self.query(), "command": self.command() })
    }
}
