/** Puts Triton, from PyPI, into a virtual environment in the user's cache folder, once for each version of requirements.txt. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { modelsRoot } from "../../../src/models/fetch/ensure-builtin.ts";
import { lockFile } from "../../../../scripts/shared/file-lock.ts";

const run = promisify(execFile);

/** The Python for which requirements.txt has digests. */
const PYTHON = "python3.11";
const REQUIREMENTS = fileURLToPath(new URL("requirements.txt", import.meta.url));
const PATIENCE_MS = 600_000;

/** The paths of an installed Triton. */
export interface Installed {
  readonly server: string;
  readonly backends: string;
  /** Environment variables of the server's processes: the paths of Python and its libraries. */
  readonly env: Readonly<Record<string, string>>;
}

/** @throws Error if there is no Python 3.11 with venv and pip, or PyPI can't be reached */
export async function installTriton(): Promise<Installed> {
  const digest = createHash("sha256")
    .update(await readFile(REQUIREMENTS))
    .digest("hex");
  const root = join(dirname(modelsRoot({ ...process.env, MODEL_DIR: "" })), "segmentation-triton");
  const folder = join(root, digest.slice(0, 12));
  const packages = join(folder, "lib", PYTHON, "site-packages");
  const backends = join(packages, "pytriton", "tritonserver", "backends");
  await mkdir(root, { recursive: true });
  const lock = lockFile(join(root, ".lock"), PATIENCE_MS);
  try {
    const finished = join(folder, "finished");
    if ((await stat(finished).catch(() => undefined)) === undefined) {
      await rm(folder, { recursive: true, force: true });
      await run(PYTHON, ["-m", "venv", folder]);
      const pip = ["-m", "pip", "install", "--no-deps", "--require-hashes", "--only-binary", ":all:"];
      await run(join(folder, "bin", "python"), [...pip, "-r", REQUIREMENTS]);
      // The wheel has the backend's stub for each Python; the server takes the stub in the backend's folder.
      const stub = "triton_python_backend_stub";
      const stubs = join(packages, "pytriton", "tritonserver", "python_backend_stubs");
      await copyFile(join(stubs, PYTHON.replace("python", ""), stub), join(backends, "python", stub));
      await writeFile(finished, "");
    }
  } finally {
    lock?.release();
  }
  // The stub is linked with libpython, which needn't be where the system looks for libraries.
  const { stdout } = await run(PYTHON, ["-c", "import sysconfig; print(sysconfig.get_config_var('LIBDIR'))"]);
  return {
    server: join(packages, "pytriton", "tritonserver", "bin", "tritonserver"),
    backends,
    env: {
      PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
      LD_LIBRARY_PATH: `${join(packages, "nvidia_pytriton.libs")}:${stdout.trim()}`,
    },
  };
}
