//! src/sys.rs against the golden layout of the C headers, which the C and C++ compilers check on their side.
use adjoint::sys;
use std::collections::BTreeMap;

#[derive(Default)]
struct Golden {
    structs: BTreeMap<String, (usize, usize)>,
    fields: BTreeMap<(String, String), (usize, usize, String)>,
    constants: BTreeMap<String, i64>,
    functions: BTreeMap<String, (Vec<String>, String)>,
}

/// The Rust spelling of a C declaration without its name, without blanks.
fn rust_type(c: &str) -> String {
    let c = c.trim();
    if let Some((element, count)) = c.split_once('[') {
        let count = count.trim_end_matches(']');
        return format!("[{};{}]", rust_type(element), if count == "8" { "ADJ_MAX_RANK" } else { count });
    }
    if let Some(pointee) = c.strip_suffix('*') {
        let pointee = pointee.trim();
        return match (pointee.strip_suffix("const"), pointee.strip_prefix("const ")) {
            (Some(inner), _) => format!("*const{}", rust_type(inner)),
            (_, Some(inner)) if !inner.ends_with('*') => format!("*const{}", rust_type(inner)),
            _ => format!("*mut{}", rust_type(pointee)),
        };
    }
    match c {
        "void" => "c_void",
        "char" => "c_char",
        "int32_t" => "i32",
        "int64_t" => "i64",
        "uint32_t" => "u32",
        "uint64_t" => "u64",
        "double" => "f64",
        other => return other.to_string(),
    }
    .to_string()
}

/// Splits "const char* name" or "int64_t shape[8]" into the type, brackets included, and the name.
fn declaration(text: &str) -> (String, String) {
    let (text, brackets) = match text.split_once('[') {
        Some((text, count)) => (text, format!("[{}", count)),
        None => (text, String::new()),
    };
    let start = text.trim_end().rfind(|c: char| !c.is_alphanumeric() && c != '_').expect("a type and a name") + 1;
    (format!("{}{}", text[..start].trim(), brackets), text[start..].trim().to_string())
}

/// The layout that the C compiler gives the headers.
fn measured() -> String {
    let generate = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/generate.py");
    let said = std::process::Command::new(generate).arg("--layout").output().unwrap_or_else(|e| panic!("{}: {}", generate, e));
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    String::from_utf8(said.stdout).unwrap()
}

fn golden() -> Golden {
    let text = measured();
    let mut golden = Golden::default();
    let mut current = String::new();
    for line in text.lines() {
        let (kind, rest) = line.trim().split_once(' ').unwrap_or((line, ""));
        let words: Vec<&str> = rest.split(' ').collect();
        match kind {
            "struct" => {
                current = words[0].to_string();
                golden.structs.insert(current.clone(), (words[1].parse().unwrap(), words[2].parse().unwrap()));
            }
            "field" => {
                let (c_type, name) = declaration(&words[3..].join(" "));
                assert_eq!(name, words[0]);
                let place = (words[1].parse().unwrap(), words[2].parse().unwrap(), rust_type(&c_type));
                golden.fields.insert((current.clone(), name), place);
            }
            "enum" => {
                golden.constants.insert(words[0].to_string(), words[1].parse().unwrap());
            }
            "function" => {
                let (head, parameters) = rest.split_once('(').unwrap();
                let (result, name) = declaration(head);
                let parameters = parameters.trim_end_matches(')');
                let types = match parameters {
                    "void" => Vec::new(),
                    _ => parameters.split(',').map(|p| rust_type(&declaration(p).0)).collect(),
                };
                let result = if result == "void" { String::new() } else { rust_type(&result) };
                golden.functions.insert(name, (types, result));
            }
            _ => {}
        }
    }
    golden
}

fn squeeze(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn structures() {
    let golden = golden();
    let mut structs = BTreeMap::new();
    let mut fields = BTreeMap::new();
    for s in sys::layouts() {
        structs.insert(s.name.to_string(), (s.size, s.align));
        for (name, offset, size, rust) in s.fields {
            fields.insert((s.name.to_string(), name.to_string()), (offset, size, squeeze(rust)));
        }
    }
    assert!(structs.len() > 20 && fields.len() > 200);
    assert_eq!(structs, golden.structs);
    assert_eq!(fields, golden.fields);
}

#[test]
fn constants() {
    let mirror: BTreeMap<String, i64> = sys::CONSTANTS.iter().map(|(name, value)| (name.to_string(), i64::from(*value))).collect();
    assert_eq!(mirror, golden().constants);
}

#[test]
fn functions() {
    let mirror: BTreeMap<String, (Vec<String>, String)> = sys::FUNCTIONS
        .iter()
        .map(|(name, types, result)| (name.to_string(), (types.iter().map(|t| squeeze(t)).collect(), squeeze(result))))
        .collect();
    assert_eq!(mirror, golden().functions);
}

#[test]
fn version_is_that_of_the_golden() {
    let text = measured();
    let last = text.lines().rfind(|l| l.starts_with("interface ")).unwrap();
    assert_eq!(last, format!("interface {}.{}", sys::ADJ_ABI_MAJOR, sys::ADJ_ABI_MINOR));
}

/// For every operator of the library, the defaults written here equal the library's defaults.
#[test]
fn defaults() {
    struct Compare(i64);
    impl adjoint::Visitor for Compare {
        fn visit<O: adjoint::KnownOp>(&mut self) {
            let ours = O::Descriptor::default();
            let mut theirs = std::mem::MaybeUninit::<O::Descriptor>::zeroed();
            let size = std::mem::size_of::<O::Descriptor>();
            // SAFETY: the buffer has the stated size; both structures have no padding.
            unsafe {
                assert_eq!(sys::adj_op_descriptor_init(O::OPERATOR, theirs.as_mut_ptr().cast(), size as u64), sys::ADJ_OK);
                let bytes = |p: *const O::Descriptor| std::slice::from_raw_parts(p as *const u8, size).to_vec();
                assert_eq!(bytes(&ours), bytes(theirs.as_ptr()), "operator {}", O::OPERATOR);
            }
            self.0 += 1;
        }
    }
    let mut compare = Compare(0);
    adjoint::for_each_operator(&mut compare);
    // SAFETY: no arguments.
    assert_eq!(compare.0, unsafe { sys::adj_op_count() });
}
