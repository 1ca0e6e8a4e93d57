import { execFileSync } from "node:child_process";

/**
 * Returns a Python 3.10 or newer of this machine that has these modules; null if there is none. Tries the PATH first, then the
 * system.
 */
export function pythonWith(...modules: readonly string[]): string | null {
  const imports = ["sys", ...modules].join(", ");
  const code = `import ${imports}; sys.exit(sys.version_info < (3, 10))`;
  for (const python of ["python3", "/usr/bin/python3"]) {
    try {
      execFileSync(python, ["-c", code], { stdio: "ignore" });
      return python;
    } catch {
      // Try the next one.
    }
  }
  return null;
}

/** Returns one line that names the parts of the Python client that this machine can't test, if any. */
export function pythonLine(): string {
  const missing = ["httpx", "numpy"].filter((module) => pythonWith(module) === null);
  return missing.length === 0
    ? ""
    : ` The Python client is not tested: this machine has no Python 3.10 with ${missing.join(" and ")}.`;
}
