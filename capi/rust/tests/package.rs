//! The crate as others get it: what is packed, and what is said where there is no library.
use std::process::{Command, Output};

fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(words).args(["--offline", "--target-dir"]).arg(env!("CARGO_TARGET_TMPDIR"));
    // What cargo sets for this test is not for a cargo of its own.
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CARGO_PKG") || name.starts_with("CARGO_MANIFEST")) {
        command.env_remove(name);
    }
    command.env_remove("ADJOINT_LIB_DIR").env("PKG_CONFIG", "/nonexistent");
    command
}
fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}
const HOW: &str = "meson setup build && ninja -C build libadjoint";

#[test]
fn the_package_has_sources_examples_and_license() {
    let output = cargo(&["package", "--list", "--allow-dirty"]).output().unwrap();
    let listed = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(output.status.success(), "{}", text(&output));
    for file in ["Cargo.toml", "LICENSE", "README.md", "build.rs", "examples/training_step.rs", "src/lib.rs", "src/sys/generated.rs"] {
        assert!(listed.lines().any(|l| l == file), "{file} is not in\n{listed}");
    }
    let known = |l: &str| ["src/", "examples/"].iter().any(|d| l.starts_with(d)) || ["LICENSE", "README.md", "build.rs"].contains(&l);
    for line in listed.lines().filter(|l| !l.starts_with("Cargo.") && *l != ".cargo_vcs_info.json") {
        assert!(known(line), "{line}");
    }
    let output = cargo(&["package", "--allow-dirty", "--no-verify"]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

#[test]
fn where_there_is_no_library_the_crate_says_how_to_get_it() {
    let output = cargo(&["check"]).output().unwrap();
    assert!(output.status.success() && text(&output).contains(HOW), "{}", text(&output));
    let output = cargo(&["check"]).env("ADJOINT_LIB_DIR", env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(!output.status.success());
    assert!(text(&output).contains("has no libadjoint.so. Build it") && text(&output).contains(HOW), "{}", text(&output));
    let output = cargo(&["check"]).env("ADJOINT_LIB_DIR", "build").output().unwrap();
    assert!(!output.status.success() && text(&output).contains("ADJOINT_LIB_DIR = build is a relative path"), "{}", text(&output));
}

#[test]
fn a_descriptor_with_lists_is_referred_to_problem() {
    let place = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("refused");
    std::fs::create_dir_all(place.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"refused\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[dependencies]\nadjoint = {{ path = {:?} }}\n[workspace]\n",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::write(place.join("Cargo.toml"), manifest).unwrap();
    for (name, function) in [("Adam", "select"), ("Concat", "cached"), ("Any", "explain")] {
        let program = "use adjoint::*;\npub fn f(d: &<NAME as Op>::Descriptor) {\n    _ = Plan::<NAME>::FUNCTION(&Stream::host(), d, &Preference::default());\n}\n";
        std::fs::write(place.join("src/lib.rs"), program.replace("NAME", name).replace("FUNCTION", function)).unwrap();
        let output = cargo(&["check"]).current_dir(&place).output().unwrap();
        let said = text(&output);
        assert!(!output.status.success() && said.contains(&format!("Plan::<O>::{function}")) && !said.contains("_raw"), "{said}");
        // Compilers before 1.78 name the bound alone.
        let names = |words: &str| said.contains(words) || !cfg!(adjoint_words_of_bounds);
        assert!(
            names(&format!("`Problem<adjoint::{name}>` borrows them")) && names(&format!("Problem::<adjoint::{name}>::new(&descriptor)")),
            "{said}"
        );
    }
}
