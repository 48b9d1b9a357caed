//! What the host's pass and those of devices say of what kernels capture, in one: the host's alone knows of captures by reference, and those
//! of devices of what cannot be copied, since a class may be another one there. Source: DESIGN §4.

/// What clang said in the host's pass, and what is said of captures in a device's pass alone. The count at the end is that of all errors.
pub fn with_those_of_devices(host: &[u8], device: &str) -> Vec<u8> {
    let text = String::from_utf8_lossy(host);
    let mut found = blocks(device);
    found.retain(|block| is_about_captures(block[0]) && !text.lines().any(|line| line == block[0]));
    if found.is_empty() {
        return host.to_vec();
    }
    let (mut out, mut total) = (String::new(), None);
    for line in text.split_inclusive('\n') {
        match counted(line, found.len()) {
            Some(sum) => total = Some(sum),
            None => out.push_str(line),
        }
    }
    for line in found.iter().flatten() {
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(&total.unwrap_or_default());
    out.into_bytes()
}

/// Errors and warnings, each with the lines below it.
fn blocks(text: &str) -> Vec<Vec<&str>> {
    let mut all: Vec<Vec<&str>> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.contains("error: ") || line.contains("warning: ") {
            all.push(vec![line]);
            inside = true;
        } else if line.starts_with("In file included from ") || line.ends_with(" generated.") {
            inside = false;
        } else if let (true, Some(last)) = (inside, all.last_mut()) {
            last.push(line);
        }
    }
    all
}

/// Whether it is an error of the plugin's check of captures.
fn is_about_captures(head: &str) -> bool {
    head.contains("error: ") && ["not device-copyable: ", "but a device cannot reach "].iter().any(|words| head.contains(words))
}

/// `2 errors generated.`, `1 warning and 1 error generated.`, with so many errors more.
fn counted(line: &str, more: usize) -> Option<String> {
    let before = line.trim_end().strip_suffix(" generated.")?;
    let before = before.strip_suffix(" errors").or_else(|| before.strip_suffix(" error"))?;
    let start = before.rfind(' ').map_or(0, |blank| blank + 1);
    let number: usize = before[start..].parse().ok()?;
    Some(format!("{}{} errors generated.\n", &before[..start], number + more))
}

#[cfg(test)]
mod tests {
    use super::with_those_of_devices;

    const REFERENCE: &str =
        "x.cpp:5:3: error: the kernel captures 'r' by reference, but a device cannot reach it; capture by value, '[=]'\n";
    const COPY: &str = "x.cpp:6:4: error: the kernel captures 's' of type 'S', which is not device-copyable: it is neither\n  6 | s\nx.cpp:6:1: note: this\n";

    #[test]
    fn both_passes_errors_come_together() {
        let host = format!("{REFERENCE}1 warning and 1 error generated.\n");
        let device = format!("{REFERENCE}x.cpp:1:1: error: other\n{COPY}3 errors generated.\n");
        let all = with_those_of_devices(host.as_bytes(), &device);
        assert_eq!(String::from_utf8(all).expect("text"), format!("{REFERENCE}{COPY}1 warning and 2 errors generated.\n"));
    }

    #[test]
    fn nothing_else_changes() {
        let host = format!("{COPY}1 error generated.\n");
        assert_eq!(with_those_of_devices(host.as_bytes(), &host), host.as_bytes());
        assert_eq!(with_those_of_devices(host.as_bytes(), "x.cpp:1:1: error: other\n"), host.as_bytes());
    }
}
