//! Images, and why each is apart from the others of its target. Source: DESIGN §7 "split".

use std::collections::{BTreeSet, HashMap};

use aspen_contract::{Need, Requirements};

use super::model::Entry;
use crate::program::Image;

/// An image in short.
pub struct ImageRow {
    pub file: usize,
    pub name: String,
    pub target: String,
    pub format: String,
    pub bytes: usize,
    pub requirements: Requirements,
    pub kernels: Vec<usize>,
    /// What its kernels need and no other image of the target does.
    pub only_here: Vec<Need>,
    /// How many other images of the target need the same.
    pub same: usize,
    /// In words.
    pub why: String,
}

/// The images of one file, whose kernels begin at `first_kernel`.
pub fn rows(file: usize, first_kernel: usize, images: &[Image], kernels: &[Entry]) -> Vec<ImageRow> {
    let numbers: HashMap<&str, usize> = kernels.iter().zip(first_kernel..).map(|(entry, number)| (entry.symbol.as_str(), number)).collect();
    let needs: Vec<BTreeSet<Need>> = images.iter().map(|image| image.requirements.needs().collect()).collect();
    let mut by_target: HashMap<&str, usize> = HashMap::new();
    let mut holding: HashMap<(&str, &Need), usize> = HashMap::new();
    let mut equal: HashMap<(&str, &BTreeSet<Need>), usize> = HashMap::new();
    for (image, needs) in images.iter().zip(&needs) {
        let target = image.target.as_str();
        *by_target.entry(target).or_default() += 1;
        needs.iter().for_each(|need| *holding.entry((target, need)).or_default() += 1);
        *equal.entry((target, needs)).or_default() += 1;
    }
    let rows = images.iter().zip(&needs).map(|(image, needs)| {
        let target = image.target.as_str();
        let only_here: Vec<Need> = needs.iter().filter(|need| holding[&(target, *need)] == 1).cloned().collect();
        let same = equal[&(target, needs)] - 1;
        ImageRow {
            file,
            name: image.name.clone(),
            target: target.to_owned(),
            format: image.format.clone(),
            bytes: image.size,
            requirements: image.requirements.clone(),
            kernels: image.kernels.iter().filter_map(|kernel| numbers.get(kernel.symbol.as_str()).copied()).collect(),
            why: why(image, needs, &only_here, same, by_target[target] - 1),
            only_here,
            same,
        }
    });
    rows.collect()
}

fn why(image: &Image, needs: &BTreeSet<Need>, only_here: &[Need], same: usize, others: usize) -> String {
    if image.summary.is_some() {
        return "code of one source that is not split yet: the link does that".into();
    }
    let list = |needs: &mut dyn Iterator<Item = &Need>| needs.map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match (others, same, needs.is_empty(), only_here) {
        (0, ..) => "the only image of its target".into(),
        (_, 0, true, _) => "needs nothing: every device takes it, whatever the others need".into(),
        (_, 0, false, []) => format!("no other image needs just this together: {}", list(&mut needs.iter())),
        (_, 0, false, only) => format!("its kernels need what no other image of the target does: {}", list(&mut only.iter())),
        (_, same, ..) => format!(
            "needs the same as {same} other image{}: apart by source, or by -fsycl-device-code-split",
            if same == 1 { "" } else { "s" }
        ),
    }
}
