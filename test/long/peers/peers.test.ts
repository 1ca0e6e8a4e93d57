/** Other people's tools, from PyPI, Maven Central and the registries of Go and Rust, over the whole stack with a fixture model. */
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createClient } from "../../../scripts/shared/api-client.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { only, present } from "../../support/at.ts";
import { FIXTURE } from "../../support/chaos/models.ts";
import { openapiGenerator, PEERS, pythonPackages } from "../../support/clients/peers/install.ts";
import { fakeCvat } from "../../support/clients/peers/fake-cvat.ts";
import { type SpawnedStack, spawnStack } from "../../support/stack/spawn-stack.ts";

const exec = promisify(execFile);

/**
 * Settings of schemathesis's checks. A documented 502 or 503 is no error: a source, a storage or an identity provider is away. The service does not
 * promise to accept everything that a schema allows, because a schema cannot say who owns a taskId. The schema of a stream is that of an event's data, as its
 * description says; schemathesis takes it for the event's. It would find its own key in the list of keys, and revoke it.
 */
const TERMS = `
[checks]
positive_data_acceptance.enabled = false
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", "502", "503"]

[[operations]]
include-operation-id = "streamJobEvents"
checks.response_schema_conformance.enabled = false

[[operations]]
include-operation-id = "revokeApiKey"
phases.fuzzing.enabled = false
phases.stateful.enabled = false
`;

/** Answers of the functions to CVAT. */
const Called = z.object({
  functions: z.record(z.string(), z.string()),
  clicked: z.object({ mask: z.array(z.array(z.number())) }),
  detected: z.array(z.object({ label: z.literal("bright"), mask: z.array(z.number()) })).min(1),
});

/** A mask as CVAT keeps it, with its pixels one by one in place of their run lengths. */
const pixelsOf = (points: readonly number[]): number[] => [
  ...points.slice(0, -4).flatMap((length, i) => Array.from({ length }, () => i % 2)),
  ...points.slice(-4),
];

const WALK = join(PROJECT_ROOT, "test/support/clients/peers/walk");

describe("other people's tools", () => {
  let folder: string;
  let stack: SpawnedStack;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "peers-"));
    stack = await spawnStack({
      stateDir: join(folder, "state"),
      launcher: "test/support/chaos/start.ts",
      env: {
        ...FIXTURE.env,
        CHAOS_SERVICE: FIXTURE.service,
        ALLOW_LOCAL_URLS: "true",
        CVAT_LABELS: "bright",
        // Node's own bound would answer a long query before the Worker reads it.
        NODE_OPTIONS: "--max-http-header-size=262144",
      },
    });
  });
  afterAll(async () => {
    await stack.stop();
    await rm(folder, { recursive: true });
  });

  const run = async (program: string, args: readonly string[], cwd = folder): Promise<string> => {
    const env = {
      ...process.env,
      SEGMENTATION_BASE_URL: stack.baseUrl,
      SEGMENTATION_API_KEY: stack.apiKey,
      PYTHONPATH: `${join(PROJECT_ROOT, "python/src")}:${cwd}`,
      CARGO_TARGET_DIR: join(PEERS, "cargo"),
      YOLO_CONFIG_DIR: folder,
      FIFTYONE_DISABLE_SERVICES: "true",
      CVAT_ACCESS_TOKEN: "the fake server asks for none",
    };
    const ended = exec(program, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
    return (
      await ended.catch((error: { stdout: string; stderr: string }) =>
        expect.fail(error.stdout + error.stderr),
      )
    ).stdout;
  };
  it("schemathesis finds no undocumented status, no answer outside its schema and no 500, with good and bad credentials", async () => {
    const bin = await pythonPackages("schemathesis==4.32.5");
    await writeFile(join(folder, "schemathesis.toml"), TERMS);
    const document = join(PROJECT_ROOT, "docs/openapi.json");
    const terms = "--max-examples 20 --continue-on-failure --request-timeout 60 --no-color".split(" ");
    const where = ["run", document, "--url", stack.baseUrl, "-H", `Authorization: Bearer ${stack.apiKey}`];
    const said = await run(join(bin, "st"), ["--config-file", "schemathesis.toml", ...where, ...terms]);
    process.stdout.write(said.slice(said.indexOf("SUMMARY")));
    expect(said).not.toContain("FAILURES");
  });

  /** Commands that build and run each language's walk, in the folder of its generated client, with these arguments. */
  const WALKS: Readonly<Record<string, (made: string, ...args: string[]) => Promise<string>>> = {
    Go: async (made, ...args) => {
      await mkdir(join(made, "walk"));
      await copyFile(join(WALK, "walk.go"), join(made, "walk/main.go"));
      return run("go", ["run", "./walk", ...args], made);
    },
    Java: async (made, ...args) => {
      const classpath = join(made, "classpath.txt");
      await run(
        "mvn",
        ["-q", "-B", "compile", "dependency:build-classpath", `-Dmdep.outputFile=${classpath}`],
        made,
      );
      const jars = await readFile(classpath, "utf8");
      return run("java", ["-cp", `target/classes:${jars}`, join(WALK, "Walk.java"), ...args], made);
    },
    Python: async (made, ...args) => {
      const bin = await pythonPackages("pydantic==2.14.4", "urllib3==2.8.0", "python-dateutil==4.0.0");
      return run(join(bin, "python"), [join(WALK, "walk.py"), ...args], made);
    },
    Rust: async (made, ...args) => {
      await mkdir(join(made, "src/bin"));
      await copyFile(join(WALK, "walk.rs"), join(made, "src/bin/walk.rs"));
      await run("cargo", ["add", "--quiet", "tokio@1", "--features", "rt,macros"], made);
      return run("cargo", ["run", "--quiet", "--bin", "walk", ...args], made);
    },
  };

  it.each(Object.keys(WALKS))(
    "a client that is generated for %s compiles, and walks from presign to masks",
    async (language) => {
      const page = await readFile(join(PROJECT_ROOT, "docs/api-walkthrough.md"), "utf8");
      const [, version = ""] = /version ([\d.]+) of the generator/.exec(page) ?? [];
      const [, options = ""] = new RegExp(`^\\| ${language} \\| \`(.+?)\``, "m").exec(page) ?? [];
      const made = join(folder, language);
      const from = [
        "-jar",
        await openapiGenerator(version),
        "generate",
        "-i",
        "docs/openapi.json",
        "-o",
        made,
      ];
      const names = "--git-user-id example --git-repo-id segmentation";
      await run("java", [...from, ...`${options} ${names}`.split(" ")], PROJECT_ROOT);
      const masks = join(folder, `masks of ${language}`);
      await mkdir(masks);
      const picture = join(PROJECT_ROOT, "samples/coffee.png");
      const said = (await WALKS[language]?.(made, picture, "bright", masks)) ?? "";
      const [jobId = "", vocabulary] = said.trim().split(" ");
      expect(vocabulary).toBe("open");
      const { manifest } = await createClient(stack).retrieveJobResult(jobId);
      for (const { maskIndex, url } of only(manifest.items).masks)
        expect(await readFile(join(masks, `${maskIndex}.png`))).toEqual(
          Buffer.from(await (await fetch(url)).arrayBuffer()),
        );
      expect(await readdir(masks)).toHaveLength(only(manifest.items).masks.length);
    },
  );

  it("CVAT's SDK and command line have a server's functions called, and annotate a task by a function of docs/integrations.md [A21-8 A21-9]", async () => {
    const bin = await pythonPackages("cvat-cli==2.80.0", "cvat-sdk[masks]==2.80.0", "httpx==0.28.1");
    const picture = await readFile(join(PROJECT_ROOT, "samples/coffee.png"));
    const functions = { url: stack.baseUrl, password: stack.apiKey };
    const cvat = await fakeCvat({ picture, width: 600, height: 400, labels: ["bright"], functions });
    const script = join(PROJECT_ROOT, "test/support/clients/peers/cvat.py");
    const called = Called.parse(JSON.parse(await run(join(bin, "python"), [script, cvat.url, "120", "280"])));
    expect(called.functions).toEqual({
      "segmentation-interactor": "interactor",
      "segmentation-detector": "detector",
    });
    const clicked = called.clicked.mask.flat();
    expect([called.clicked.mask.length, clicked.length]).toEqual([400, 600 * 400]);
    expect(clicked).toContain(255);

    const page = await readFile(join(PROJECT_ROOT, "docs/integrations.md"), "utf8");
    const [, code = ""] = /^```python\n([\s\S]*?)^```$/m.exec(page) ?? [];
    // The fixture model knows this word.
    await writeFile(join(folder, "segmentation.py"), code.replace('["cup", "spoon"]', '["bright"]'));
    const annotate = ["task", "auto-annotate", "1", "--function-file", "segmentation.py"];
    const program = [`XDG_CACHE_HOME=${folder}`, join(bin, "cvat-cli"), "--server-host", cvat.url];
    await run("env", [...program, ...annotate]);
    expect(cvat.shapes.map(({ type, frame, label_id }) => [type, frame, label_id])).toEqual(
      called.detected.map(() => ["mask", 0, 100]),
    );
    // Run lengths of the pixels in a box, beginning with an unset one, then the box; the bridge gives the pixels themselves.
    expect(cvat.shapes.map(({ points }) => pixelsOf(points))).toEqual(
      called.detected.map(({ mask }) => mask),
    );
  });

  describe("the section Datasets of docs/formats.md", () => {
    let examples: readonly string[];
    let areas: number[];
    beforeAll(async () => {
      const page = await readFile(join(PROJECT_ROOT, "docs/formats.md"), "utf8");
      const [, section = ""] = page.split("\n## Datasets\n");
      examples = [...section.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
      await symlink(join(PROJECT_ROOT, "samples"), join(folder, "samples"));
      const bin = await pythonPackages("httpx==0.28.1");
      // The fixture model knows this word.
      await run(join(bin, "python"), ["-c", example(0).replace('["cup", "cat"]', '["bright"]')]);
      const annotations = await readFile(join(folder, "dataset/annotations.json"), "utf8");
      areas = z
        .object({ annotations: z.array(z.object({ area: z.number() })) })
        .parse(JSON.parse(annotations))
        .annotations.map(({ area }) => area);
    });
    const example = (index: number): string => present(examples[index], "example");

    it("has Supervision load a job's archive, each mask with its pixels", async () => {
      const bin = await pythonPackages("supervision==0.31.2");
      expect(await run(join(bin, "python"), ["-c", example(1)])).toBe(`['bright'] [${areas.join(", ")}]\n`);
    });

    it("has Ultralytics check it, and read every outline", async () => {
      const bin = await pythonPackages("ultralytics==8.4.190");
      const lines = await readdir(join(folder, "dataset/labels"));
      const outlines = await Promise.all(
        lines
          .filter((name) => name.endsWith(".txt"))
          .toSorted()
          .map(
            async (name) =>
              (await readFile(join(folder, "dataset/labels", name), "utf8")).trim().split("\n").length,
          ),
      );
      const said = await run(join(bin, "python"), ["-c", example(2)]);
      expect(said).toContain(`{0: 'bright'} [${outlines.join(", ")}]\n`);
    });

    it("has FiftyOne's importers read it, as COCO and as YOLO", async () => {
      const packages = await readFile(join(PROJECT_ROOT, "test/support/clients/peers/fiftyone.txt"), "utf8");
      const bin = await pythonPackages(
        "--no-deps",
        ...packages
          .trim()
          .split("\n")
          .filter((line) => !line.startsWith("#")),
      );
      const [coco, yolo, ...rest] = (await run(join(bin, "python"), ["-c", example(3)])).trim().split("\n");
      expect(coco?.match(/'bright'/g)).toHaveLength(areas.length);
      expect(yolo).toContain("'bright'");
      expect(rest).toEqual([]);
    });
  });
});
