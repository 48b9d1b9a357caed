//! Kernels that are loaded before they are launched: a program's first launch takes ten times as long if it loads its image.

use super::module::split_tag;
use super::{KernelKey, Registry};
use crate::backend::Fit;
use crate::system::Device;

/// Programs of more kernels load them one by one.
const MOST: usize = 32;

impl Registry {
    /// Loads the kernels whose machine code was made for the device, if they are few, and pass the check. What fails is told by the launch.
    pub(crate) fn load_early(&self, device: &'static Device) {
        let inner = self.read();
        let mut wanted: Vec<(usize, String)> = Vec::new();
        for module in &inner.modules {
            let parsed = module.parsed();
            let fits = |index: &usize| matches!(device.real().fit(&parsed.images[*index].image), Some(Fit::AheadOfTime { .. }));
            let own = parsed.by_symbol.iter().filter(|(_, images)| images.iter().any(fits));
            wanted.extend(own.map(|(symbol, _)| (module.record.anchor, symbol.clone())));
        }
        drop(inner);
        if wanted.len() > MOST {
            return;
        }
        for (module, symbol) in wanted {
            let (plain, tag) = split_tag(&symbol);
            let key = KernelKey { module, tag, symbol: plain };
            // Not remembered as a launch's is: that one is known by where its strings lie.
            if self.read().choose(device, key, true).is_ok() {
                let _loaded = self.load_best(device, key);
            }
        }
    }
}
