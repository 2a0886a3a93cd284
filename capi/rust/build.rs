//! Finds libadjoint: in ADJOINT_LIB_DIR when that is set, else through pkg-config. Without it the crate can be checked and documented.
use std::env;
use std::path::Path;
use std::process::Command;

fn pkg_config(argument: &str) -> Option<String> {
    let program = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".to_string());
    let output = Command::new(program).args([argument, "adjoint"]).output().ok()?;
    if !output.status.success() {
        return None;
    }
    Some(String::from_utf8(output.stdout).ok()?.trim().to_string())
}

/// Minor version of the compiler, 63 for 1.63.
fn compiler() -> Option<u32> {
    let output = Command::new(env::var_os("RUSTC")?).arg("--version").output().ok()?;
    String::from_utf8(output.stdout).ok()?.split('.').nth(1)?.parse().ok()
}

fn main() {
    // Compilers from 1.78 on take the words of an unmet bound from the trait; from 1.80 on they ask to be told of a cfg.
    let compiler = compiler().unwrap_or(0);
    if compiler >= 80 {
        println!("cargo:rustc-check-cfg=cfg(adjoint_words_of_bounds)");
    }
    if compiler >= 78 {
        println!("cargo:rustc-cfg=adjoint_words_of_bounds");
    }
    for variable in ["ADJOINT_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH"] {
        println!("cargo:rerun-if-env-changed={}", variable);
    }
    let is_static = env::var_os("CARGO_FEATURE_STATIC").is_some();
    let (file, target) = if is_static { ("libadjoint.a", "libadjoint.a") } else { ("libadjoint.so", "libadjoint.so.1.0.0") };
    let how = format!(
        "Build it in the source tree of Adjoint: `meson setup build && ninja -C build {target}`; then set ADJOINT_LIB_DIR to the absolute path of \
         build. Or install it, so that pkg-config finds adjoint.pc."
    );
    let directory = match env::var("ADJOINT_LIB_DIR") {
        // cargo calls this program in the package's own directory, whatever the caller's is.
        Ok(directory) if Path::new(&directory).is_relative() => panic!("ADJOINT_LIB_DIR = {} is a relative path, give an absolute one", directory),
        Ok(directory) if !Path::new(&directory).join(file).exists() => panic!("ADJOINT_LIB_DIR = {} has no {}. {}", directory, file, how),
        Ok(directory) => directory,
        Err(_) => match pkg_config("--variable=libdir") {
            Some(directory) => directory,
            None => {
                // Documentation and checks need no library; a program that is linked without it fails there, below this line.
                println!("cargo:warning=libadjoint was not found, and programs cannot be linked without it. {}", how);
                println!("cargo:rustc-link-lib=dylib=adjoint");
                return;
            }
        },
    };
    println!("cargo:rustc-link-search=native={}", directory);
    // The build scripts of packages that depend on this one get it as DEP_ADJOINT_LIBDIR.
    println!("cargo:libdir={}", directory);
    if is_static {
        println!("cargo:rustc-link-lib=static=adjoint");
        // Libraries that libadjoint itself needs: the private libraries of its pkg-config file.
        for library in ["md", "dl", "pthread", "stdc++", "m"] {
            println!("cargo:rustc-link-lib=dylib={}", library);
        }
        return;
    }
    println!("cargo:rustc-link-lib=dylib=adjoint");
    // For this package's own tests and examples; a program that depends on it chooses its own search path.
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", directory);
}
