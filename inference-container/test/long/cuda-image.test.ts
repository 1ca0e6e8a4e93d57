/** The packages of `Dockerfile.cuda`, from PyPI: 1.3 GB. The test needs no GPU. */
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ensureBuiltin } from "../../src/models/fetch/ensure-builtin.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";

const CUDA = join(PROJECT_ROOT, "inference-container", "cuda");
const run = promisify(execFile);

let folder: string;
let modules: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cuda-image-"));
  modules = join(folder, "node_modules");
  for (const name of ["onnxruntime-node", "onnxruntime-common"])
    await cp(join(PROJECT_ROOT, "node_modules", name), join(modules, name), {
      recursive: true,
      filter: (path) => !/darwin|win32/.test(path),
    });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("fails if a library that the provider loads is not listed, and names it", async () => {
  const short = join(folder, "short");
  await cp(CUDA, short, { recursive: true });
  const list = await readFile(join(CUDA, "requirements.txt"), "utf8");
  const kept = list
    .split("\n")
    .filter((line) => !line.startsWith("nvidia-") || line.startsWith("nvidia-cuda"));
  await writeFile(join(short, "requirements.txt"), kept.join("\n"));
  const installing = run("sh", [join(short, "install.sh"), modules, join(folder, "short-cuda")]);
  const { stderr } = await installing.then(
    () => ({ stderr: "" }),
    (error: { stderr: string }) => error,
  );
  for (const name of ["libcublas.so.13", "libcublasLt.so.13", "libcurand.so.10", "libcudnn.so.9"])
    expect(stderr).toContain(`${name} => not found`);
  expect(stderr).not.toContain("libcudart.so.13 =>");
});

it("installs a provider that lacks at most the driver", async () => {
  const cuda = join(folder, "cuda");
  await run("sh", [join(CUDA, "install.sh"), modules, cuda]);
  const script = join(folder, "open.mjs");
  await writeFile(
    script,
    `import { InferenceSession } from "onnxruntime-node";
    await InferenceSession.create(process.argv[2], { executionProviders: [{ name: "cuda", deviceId: 0 }] });`,
  );
  const graph = join(await ensureBuiltin(), "sam2-decoder.onnx");
  const env = { PATH: process.env["PATH"], LD_LIBRARY_PATH: join(cuda, "lib"), ORT_DISABLE_TELEMETRY: "1" };
  const said = await run(process.execPath, [script, graph], { env }).then(
    () => "opened",
    (error: { stderr: string }) => error.stderr,
  );
  // With a driver it opens; otherwise it reports that there is no GPU.
  expect(said).toMatch(/^opened$|libcuda\.so\.1: cannot open|no CUDA-capable device/m);
});
