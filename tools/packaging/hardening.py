"""What a shared library lacks of the protections that it is compiled and linked with."""
import re
import subprocess


def lacking(library, stacks=True):
    """Sentences. stacks: whether some function is large enough to have a protected stack."""
    headers, dynamic, symbols = (subprocess.run(["readelf", option, library], check=True, capture_output=True, text=True).stdout for option in ("-lW", "-dW", "-sW"))
    found = {
        "addresses of functions can be written over": "GNU_RELRO" in headers and re.search(r"FLAGS.*\b(BIND_NOW|NOW)\b", dynamic),
        "the stack or other memory is both writable and executable": re.search(r"GNU_STACK(?:\s+\S+){5}\s+RW ", headers) and not re.search(r"LOAD.* RWE ", headers),
        "a directory of the build is in the path of its libraries": not re.search(r"R(UN)?PATH.*\[(?!\$ORIGIN)", dynamic),
        "stacks are not protected": not stacks or "__stack_chk_fail" in symbols,
    }
    return [what for what, right in found.items() if not right]
