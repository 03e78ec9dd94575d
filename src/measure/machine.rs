//! The machine's stamp on every record.

use std::{fs, process::Command, thread};

use super::record::{Cache, Machine};

impl Machine {
    /// This machine, now; `load` starts as (now, now) and is completed by [`Machine::finish`].
    #[must_use]
    pub fn here() -> Self {
        let load = load();
        Self {
            cpu: cpu_name().unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            processors: thread::available_parallelism().map_or(1, |count| count.get() as u32),
            features: features(),
            caches: caches(),
            rustc: env!("BUILD_RUSTC").to_owned(),
            target: env!("BUILD_TARGET").to_owned(),
            revision: revision().unwrap_or_else(|| "unknown".to_owned()),
            load: load.map(|load| (load, load)),
            date: chrono::Utc::now().format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        }
    }

    /// Notes the load when measuring ended.
    pub fn finish(&mut self) {
        if let (Some((_, end)), Some(now)) = (&mut self.load, load()) {
            *end = now;
        }
    }
}

/// The model with its family and stepping where the name alone says little, as it does on virtual machines.
fn cpu_name() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let value = |key: &str| {
        let line = text.lines().find(|line| line.split(':').next().is_some_and(|name| name.trim() == key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let name = value("model name")?;
    Some(match (value("cpu family"), value("model")) {
        (Some(family), Some(model)) => format!("{name} (family {family} model {model})"),
        _ => name,
    })
}

/// The features that variants use and this CPU has.
fn features() -> Vec<String> {
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! detected {
            ($($feature:tt),*) => {
                [$(($feature, std::is_x86_feature_detected!($feature))),*]
            };
        }
        detected!(
            "ssse3",
            "sse4.1",
            "popcnt",
            "bmi1",
            "bmi2",
            "avx2",
            "avx512f",
            "avx512bw",
            "avx512dq",
            "avx512vl",
            "avx512vbmi",
            "avx512vbmi2"
        )
        .into_iter()
        .filter(|&(_, here)| here)
        .map(|(feature, _)| feature.to_owned())
        .collect()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        Vec::new()
    }
}

/// The data and unified caches of the first processor; none where the system does not tell.
fn caches() -> Vec<Cache> {
    let Ok(folders) = fs::read_dir("/sys/devices/system/cpu/cpu0/cache") else { return Vec::new() };
    let mut found: Vec<Cache> = folders
        .filter_map(|folder| {
            let folder = folder.ok()?.path();
            let text = |name: &str| Some(fs::read_to_string(folder.join(name)).ok()?.trim().to_owned());
            let bytes = cache_bytes(&text("size")?)?;
            (text("type")? != "Instruction").then_some(Cache { level: text("level")?.parse().ok()?, bytes })
        })
        .collect();
    found.sort_by_key(|cache| (cache.level, cache.bytes));
    found
}

/// The kernel's `48K` or `2M` in bytes.
fn cache_bytes(text: &str) -> Option<u64> {
    let number = text.trim_end_matches(['K', 'M']);
    let unit = match &text[number.len()..] {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

/// The commit of the source, with a mark if it was changed since.
fn revision() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output =
            Command::new("git").args(["-C", env!("CARGO_MANIFEST_DIR")]).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    // Reports are the program's own output: they do not make the source another one.
    let changes = git(&["status", "--porcelain", "--", ".", ":(exclude)reports", ":(exclude)README.md"])?;
    Some(if changes.is_empty() { commit } else { format!("{commit}+changes") })
}

/// The one-minute load average.
fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::cache_bytes;

    #[test]
    fn the_kernels_cache_sizes() {
        assert_eq!(cache_bytes("48K"), Some(48 << 10));
        assert_eq!(cache_bytes("2M"), Some(2 << 20));
        assert_eq!(cache_bytes("512"), Some(512));
        assert_eq!(["", "K", "2KM", "x"].map(cache_bytes), [None; 4]);
    }
}
