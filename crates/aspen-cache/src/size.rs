//! How much a cache may take, as users say it.

/// What a cache takes where nobody says otherwise: 1 GiB.
pub const DEFAULT_LIMIT_BYTES: u64 = 1 << 30;

/// What `ASPEN_CACHE_SIZE` may be, for messages.
pub const SIZES: &str = "a number of bytes, or of K, M or G";

/// A number of bytes, or of KiB, MiB, GiB with `K`, `M`, `G` behind it.
///
/// # Errors
/// For anything else, the value that was probably meant.
pub fn size_in_bytes(value: &str) -> Result<u64, String> {
    let trimmed = value.trim();
    let (digits, unit) = trimmed.split_at(trimmed.find(|c: char| !c.is_ascii_digit()).unwrap_or(trimmed.len()));
    let factor = match unit.trim() {
        "" => Some(1),
        "K" | "k" | "KiB" => Some(1_u64 << 10),
        "M" | "m" | "MiB" => Some(1 << 20),
        "G" | "g" | "GiB" => Some(1 << 30),
        _ => None,
    };
    let bytes = factor.and_then(|factor| digits.parse::<u64>().ok()?.checked_mul(factor));
    // Who gives a number with a unit of no sense means it in MiB more often than not.
    let of_unit = unit.trim().chars().next().map(|letter| letter.to_ascii_uppercase()).filter(|letter| "KMG".contains(*letter));
    bytes.ok_or_else(|| match digits.parse::<u64>() {
        _ if digits.is_empty() => "1G".to_owned(),
        // As much as can be said in the largest unit.
        Ok(number) if factor.is_none() && number <= u64::MAX >> 30 => format!("{digits}{}", of_unit.unwrap_or('M')),
        _ => format!("{}G", u64::MAX >> 30),
    })
}
