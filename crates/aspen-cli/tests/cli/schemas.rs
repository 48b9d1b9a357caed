//! What the commands print in JSON is what `share/aspen/schema` says: every document is valid, and says nothing that is not described.

use std::fs;
use std::path::Path;

use crate::common::{Session, TWO_KERNELS};
use serde_json::Value;

fn schema(name: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../data/schema/{name}.json"));
    serde_json::from_slice(&fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))).expect("JSON")
}

/// Users' documents may have further keys; ours may not have any that nobody described.
fn closed(schema: &mut Value) {
    match schema {
        Value::Object(keys) => {
            keys.values_mut().for_each(closed);
            let has_properties = keys.get("properties").is_some_and(|properties| properties.get("type").is_none_or(Value::is_object));
            if has_properties && keys.get("type") == Some(&"object".into()) {
                keys.entry("additionalProperties").or_insert(false.into());
            }
        }
        Value::Array(list) => list.iter_mut().for_each(closed),
        _ => {}
    }
}

#[track_caller]
fn valid(name: &str, line: &str, document: &str) {
    let document: Value = serde_json::from_str(document).unwrap_or_else(|error| panic!("{line}: {error}"));
    let open = schema(name);
    assert!(jsonschema::meta::is_valid(&open), "{name}.json is no schema");
    let mut strict = open.clone();
    closed(&mut strict);
    let checker = jsonschema::validator_for(&strict).expect("a schema");
    let errors: Vec<String> = checker.iter_errors(&document).take(5).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{line}: {errors:#?}");
    let mut more = document;
    more["a key that comes later"] = true.into();
    assert!(jsonschema::validator_for(&open).expect("a schema").is_valid(&more), "{name}: keys may be added");
    more["version"] = 2.into();
    assert!(!jsonschema::validator_for(&open).expect("a schema").is_valid(&more), "{name}: another version is another schema");
}

#[test]
fn every_document_is_as_its_schema_says() {
    let more = TWO_KERNELS.replace("p[0] = 7;", "p[0] = (int)(p[1] * 2.5);").replace(
        "int main() {",
        "SYCL_EXTERNAL int elsewhere(int);\nvoid others(sycl::queue &q, int *p) {
  q.parallel_for<class sized>(sycl::nd_range<2>({4, 4}, {4, 4}), [=](sycl::nd_item<2>) [[sycl::reqd_work_group_size(4, 4), sycl::reqd_sub_group_size(8)]] { p[0] = 1; });
  q.single_task<class calls>([=] { p[0] = elsewhere(p[1]); });
  q.single_task<class guards>([=] { sycl::ext::oneapi::experimental::if_device_has<sycl::aspect::fp16>([=] { p[0] = int(sycl::half(p[1]) * sycl::half(2)); }); });
}
int main() {",
    );
    let session = Session::new(&[("two.cpp", TWO_KERNELS), ("more.cpp", &more), ("new.yaml", "mine:\n  aspects: [6]\n")]);
    session.ok(
        "aspen++ two.cpp -o two && aspen++ -w -fsycl-targets=spir64 -c more.cpp && aspen++ -fno-sycl-requirement-sources two.cpp -o quiet",
    );
    session.ok("aspen++ -fsycl-targets=spir64 -fsycl-optional-features=conditional two.cpp -o conditional");
    for file in ["two", "more.o", "quiet", "conditional"] {
        for (name, line) in [
            ("inspect", format!("aspen inspect {file}")),
            ("explain", format!("aspen explain {file}")),
            ("explain", format!("aspen explain {file} dbl")),
            ("explain", format!("aspen explain {file} dbl fp64")),
            ("check", format!("aspen check {file} --device intel_gpu_dg1 --device spir64 --device nvidia_gpu_sm_80")),
            ("check", format!("aspen check {file} --here --summary --only no --sort cause")),
            ("check", format!("aspen check {file} --here --build")),
            ("diff", format!("aspen diff two {file}")),
            ("diff", format!("aspen diff {file} more.o")),
            ("report", format!("aspen report {file}")),
            ("report", format!("aspen report {file} two --device intel_gpu_dg1 --device spir64 --here --older two")),
            ("report", format!("aspen report {file} --device-config-file new.yaml --device mine --older quiet --no-sources")),
        ] {
            let said = session.run(&format!("ASPEN_DEVICE_SELECTOR='native_cpu:*' {line} --format json"));
            assert!(said.code.is_some_and(|code| code <= 1) && !said.stdout.is_empty(), "{line}: {}", said.stderr);
            valid(name, &line, &said.stdout);
        }
    }
    for (name, line) in
        [("targets", "aspen targets"), ("targets", "aspen targets mine --device-config-file new.yaml"), ("devices", "aspen devices")]
    {
        valid(name, line, &session.ok(&format!("{line} --format json")).stdout);
    }
}
