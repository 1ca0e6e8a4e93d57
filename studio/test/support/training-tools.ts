import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { pythonPackages } from "../../../test/support/clients/peers/install.ts";

const PACKAGES = ["ultralytics==8.4.190", "supervision==0.31.2", "pycocotools==2.0.11"];

/** Installs tools that load data sets and train on them: the folder of their programs. Needs PyPI (3 GB once). */
export const trainingTools = async (): Promise<string> => await pythonPackages(...PACKAGES);

/** Runs a Python script of this folder on the files of a data set. Returns what it prints. */
export async function printedBy(
  script: "check-exports.py" | "train_yolo.py",
  programs: string,
  files: Readonly<Record<string, Uint8Array>>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "data-set-"));
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    const run = join(PROJECT_ROOT, "studio/test/support", script);
    const { stdout } = await promisify(execFile)(join(programs, "python"), [run, folder], {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, YOLO_CONFIG_DIR: folder, MPLCONFIGDIR: folder },
    });
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}
