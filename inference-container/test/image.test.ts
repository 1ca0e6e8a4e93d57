import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { PROJECT_ROOT } from "../../scripts/shared/root.ts";
import { contextFiles, readIgnored, readStages } from "./support/image.ts";

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), "utf8");
const ignored = readIgnored();
const filesOf = (source: string): string[] => contextFiles(source, ignored);
const LISTS = ["package.json", "package-lock.json", ".npmrc"];
const PACKAGES = ["protocol", "masks", "inference-container"];
const CUDA = "inference-container/cuda";
const Manifest = z.looseObject({
  dependencies: z.looseObject({}).default({}),
  optionalDependencies: z.looseObject({}).default({}),
});

describe.each(["Dockerfile", "Dockerfile.cuda"])("the image of %s", (name) => {
  const stages = readStages(join(PROJECT_ROOT, "inference-container", name));

  it("contains only the three packages and their dependency lists", () => {
    expect(stages.map(({ copies }) => copies).filter(({ length }) => length > 0)).toEqual([
      [
        { sources: LISTS, target: "./" },
        ...PACKAGES.map((folder) => ({ sources: [`${folder}/package.json`], target: `${folder}/` })),
        ...(name === "Dockerfile.cuda" ? [{ sources: [CUDA], target: "cuda" }] : []),
      ],
      [
        { sources: ["package.json"], target: "./" },
        ...PACKAGES.map((folder) => ({ sources: [folder], target: folder })),
      ],
    ]);
    const [, image] = stages;
    expect(image?.copiesFrom.join("\n")).toContain("/app/node_modules node_modules");
  });

  it("installs the dependencies of the service alone, and starts it", () => {
    expect(stages[0]?.runs.join("\n")).toMatch(/^npm ci --omit=dev --workspace inference-container /);
    expect(stages[1]?.command).toEqual(["node", "inference-container/src/main.ts"]);
    for (const [, path = ""] of [stages[1]?.command ?? [], stages[1]?.healthCheck ?? []])
      expect(filesOf(path)).toEqual([path]);
  });

  it("starts it under an init, which collects the remains of a killed engine", () => {
    expect(stages[1]?.entryPoint).toEqual(["/usr/bin/tini", "--"]);
    expect(stages[1]?.runs.join("\n")).toMatch(/apt-get install .* tini( |$)/);
  });
});

it("the image has the model inside and no volume if VARIANT=baked, and by default volumes for both", () => {
  const text = read("inference-container/Dockerfile");
  const [, , mounted, baked, copied, last] = text.split(/^FROM /m).slice(1);
  expect(mounted).toMatch(/^service AS mounted\nVOLUME \["\/models", "\/scratch"\]/);
  expect(baked).toMatch(/^service AS baked\n/);
  expect([...text.matchAll(/^VOLUME/gm)]).toHaveLength(1);
  const [, , , stage] = readStages(join(PROJECT_ROOT, "inference-container/Dockerfile"));
  const [run = ""] = stage?.runs ?? [];
  const [file = ""] = /inference-container\S+\.ts/.exec(run) ?? [];
  expect(filesOf(file)).toEqual([file]);
  expect(copied).toContain(
    "COPY --from=models ${MODEL} /models/${MODEL}\nENV MODEL_FOLDER=/models/${MODEL}\n",
  );
  expect(last?.trim()).toBe("${VARIANT}");
  expect(text).toContain("\nARG VARIANT=mounted\n");
});

describe("the image's libraries of CUDA", () => {
  const [dependencies, image] = readStages(join(PROJECT_ROOT, "inference-container/Dockerfile.cuda"));

  it("are installed only by pip, which requires their hashes", () => {
    const script = read(`${CUDA}/install.sh`).replaceAll(/\\\n\s*/g, "");
    const runs = [...(dependencies?.runs ?? []), ...(image?.runs ?? []), script].join("\n");
    const [install] = /python3 -m pip install .*/.exec(runs) ?? [];
    for (const option of ["--only-binary :all:", "--no-deps", "--require-hashes", "--requirement "])
      expect(install).toContain(option);
    expect(runs.match(/pip install/g)).toHaveLength(1);
    expect(runs).toContain("sh cuda/install.sh node_modules /cuda");
    expect(runs).not.toMatch(/apt-get install[^&]*(?:cuda|cudnn|nvidia)|install\.js/);
    expect(read("inference-container/Dockerfile.cuda")).not.toMatch(/^FROM .*nvidia/m);
  });

  it("have a SHA-256 each, and the provider has the version of the runtime that npm installs", () => {
    const lines = read(`${CUDA}/requirements.txt`)
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    for (const line of lines) expect(line).toMatch(/^[a-z0-9-]+==\d+(?:\.\d+)+ --hash=sha256:[0-9a-f]{64}$/);
    const { dependencies: named } = Manifest.parse(JSON.parse(read("inference-container/package.json")));
    expect(lines.find((line) => line.startsWith("onnxruntime-gpu=="))).toContain(
      `==${String(named["onnxruntime-node"])} `,
    );
  });
});

describe("the build context", () => {
  it("has the three packages without their tests, and nothing else of the repository", () => {
    expect([...LISTS, ...PACKAGES].filter((path) => filesOf(path).length === 0)).toEqual([]);
    for (const path of ["src", "scripts", "test", "docs", "migrations", "wrangler.toml"])
      expect(filesOf(path)).toEqual([]);
    expect(filesOf("inference-container").filter((path) => path.includes("/test/"))).toEqual([]);
  });

  it.each(PACKAGES)(
    "has everything that %s imports: its own files, and packages that it depends on",
    (folder) => {
      const { dependencies, optionalDependencies } = Manifest.parse(
        JSON.parse(read(`${folder}/package.json`)),
      );
      const packages = Object.keys({ ...dependencies, ...optionalDependencies });
      const files = filesOf(folder);
      const sources = files.filter((path) => path.endsWith(".ts"));
      expect(sources.length).toBeGreaterThan(3);
      for (const path of sources) {
        const imports = [...read(path).matchAll(/^(?:import|export)\b(?:[^"=;]*\bfrom)? "([^"]+)";$/gm)];
        for (const [, name = ""] of imports) {
          if (name.startsWith(".")) expect(files, path).toContain(normalize(join(dirname(path), name)));
          else if (!name.startsWith("node:"))
            expect(packages, path).toContain(
              name
                .split("/")
                .slice(0, name.startsWith("@") ? 2 : 1)
                .join("/"),
            );
        }
      }
    },
  );
});
