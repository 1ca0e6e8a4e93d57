import { join } from "node:path";
import { readFile, writeFile } from "node:fs/promises";
import { parse } from "smol-toml";
import { describe, expect, it, vi } from "vitest";
import { runWrangler } from "../../../../../scripts/shared/cloudflare/wrangler.ts";
import { containerCosts } from "../../../../../scripts/shared/cloudflare/container-prices.ts";
import { mergeConfiguration } from "../../../../../scripts/shared/cloudflare/operator-file.ts";
import { aroundEachDeployment, world } from "../../../../support/stack/deployment.ts";
import { emptyAccount } from "../../../../support/stack/half-configured.ts";
import { AS_CLONED, CHANGES, cloneWith, KEYS, never } from "../../../../support/stack/created-deployment.ts";

aroundEachDeployment();

const IMAGE = "docker.io/example/segmentation-inference:1.0.0";
const DOMAIN = ["--domain", "segmentation.example.com"];
const create = ["--create", "--yes", ...DOMAIN, "--inference", "cloudflare"];

async function clone() {
  for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value);
  return await cloneWith(emptyAccount(), { skipped: AS_CLONED });
}

describe("npm run deploy -- --create --inference cloudflare", () => {
  it("goes from an empty account to a deployment in one run; and again without a change", async () => {
    const { run, own, account, calls, folder } = await clone();
    const toml = await readFile(folder.config, "utf8");
    expect(await run([...create, "--image", IMAGE]), world.printed).toBe(0);
    expect(world.printed).toContain(
      "at most 2 of standard-3: $0.08 per hour awake, $0.22 per hour at work, $0.31 per 1,000 new pictures",
    );
    expect(account.secrets?.toSorted()).toEqual([
      "MASTER_SECRET",
      "OPERATOR_TOKEN",
      "S3_ACCESS_KEY_ID",
      "S3_SECRET_ACCESS_KEY",
    ]);
    const written = parse((await own()) ?? "");
    expect(written).toMatchObject({
      vars: { CONTAINER_INSTANCES: 2, INFERENCE_URL: "" },
      containers: [
        {
          class_name: "InferenceContainer",
          image: IMAGE,
          instance_type: "standard-3",
          max_instances: 2,
          rollout_active_grace_period: 600,
        },
      ],
      durable_objects: { bindings: [{ name: "INFERENCE_CONTAINER", class_name: "InferenceContainer" }] },
    });
    expect(calls.some((words) => words === "deploy")).toBe(true);
    expect(await readFile(folder.config, "utf8")).toBe(toml);

    const before = [structuredClone(account), await own()];
    expect(await run([...create, "--image", IMAGE])).toBe(0);
    expect(calls.filter((words) => CHANGES.test(words))).toEqual([]);
    expect([account, await own()]).toEqual(before);
  });

  it("asks for each setting, with its cost, and takes Enter for the default", async () => {
    const { run, own } = await clone();
    const asked: string[] = [];
    const answers = (question: string) => {
      asked.push(question);
      if (question.startsWith("At which URL")) return "cloudflare";
      if (question.startsWith("Which image?")) return asked.length > 20 ? "" : "ghcr.io/a/b:1";
      return question.startsWith("Which instance type?") ? "standard-4" : "";
    };
    await run(["--create", ...DOMAIN], {
      answers: (question) => (question.includes("ghcr.io") ? "" : answers(question)),
    });
    expect(asked.find((question) => question.startsWith("Which instance"))).toMatch(
      /standard-2: .*\n.*standard-3: .*\n.*standard-4: \$0\.11 per hour awake/,
    );
    expect(parse((await own()) ?? "")).toMatchObject({
      containers: [
        {
          image: "inference-container/Dockerfile",
          image_build_context: ".",
          image_vars: { VARIANT: "baked", MODEL: "builtin" },
          instance_type: "standard-4",
          max_instances: 2,
        },
      ],
    });
  });

  it("keeps a service at a URL as another pool, and builds another model in", async () => {
    const { run, own } = await clone();
    const url = "https://inference.example.com";
    expect(await run([...create, "--inference-url", url, "--model", "builtin-fast"])).toBe(0);
    const written = parse((await own()) ?? "");
    expect(written).toMatchObject({
      vars: { INFERENCE_URL: url },
      containers: [{ image_vars: { VARIANT: "baked", MODEL: "builtin-fast" } }],
    });
  });

  it.each([
    [["--image", "ghcr.io/a/b:1"], /can't fetch from ghcr\.io: push the image to docker\.io/],
    [["--image", "docker.io/a/b"], /it needs a tag/],
    [["--image", "docker.io/a/b:latest"], /it needs a tag, and not latest/],
    [["--image", "here"], /must begin with its registry/],
    [["--instance", "standard-9"], /must be standard-2, standard-3, standard-4/],
    [["--model", "owlv2-base"], /can only be builtin or builtin-fast/],
    [["--instances", "0"], /must be a number from 1 to 50/],
    [["--image", IMAGE, "--model", "builtin"], /give --image or --model/],
  ])("refuses %j with the reason, and writes nothing", async (args, reason) => {
    const { run, own } = await clone();
    await expect(run([...create, ...args])).rejects.toThrow(reason);
    expect(String(await own())).not.toContain("containers");
  });

  it("says where to change existing containers", async () => {
    const { run } = await clone();
    await run([...create, "--image", IMAGE]);
    await expect(run([...create, "--instances", "3"])).rejects.toThrow(
      "The containers have max_instances = 2 already. Change it in [[containers]] of wrangler.operator.toml, and CONTAINER_INSTANCES in [vars] with it.",
    );
  });

  it("writes what Wrangler deploys, with the image's name for the Worker", async () => {
    const { run, folder } = await clone();
    await run([...create, "--image", IMAGE]);
    const effective = join(folder.path, "wrangler.effective.json");
    const config = JSON.parse(await readFile(effective, "utf8"));
    // The Worker itself is bundled elsewhere: this is about the configuration.
    const main = join(folder.path, "worker.js");
    await writeFile(
      main,
      `import { DurableObject } from "cloudflare:workers"; export default {};
       ${["JobObject", "AccountStreams", "WebhookObject", "InferenceGateway", "InferenceContainer"]
         .map((name) => `export class ${name} extends DurableObject {}`)
         .join("\n")}`,
    );
    await writeFile(effective, JSON.stringify({ ...config, main, build: undefined, assets: undefined }));
    const output = await runWrangler(
      [
        "deploy",
        "--dry-run",
        "--var=CONTAINER_IMAGE:x:1",
        "--containers-rollout=immediate",
        "--config",
        effective,
      ],
      {},
      never,
    );
    expect(output).toContain("InferenceContainer");
    expect(output).toContain("CONTAINER_IMAGE");
    expect(output).toContain("--dry-run: exiting now.");
  });
});

describe("migrations of the operator's file", () => {
  const tags = (...names: string[]) => ({ migrations: names.map((tag) => ({ tag })) });
  it.each([
    [tags("v1", "v2"), tags("v1", "v2", "own"), tags("v1", "v2", "own")],
    [tags("v1", "v2", "v3"), tags("v1", "v2", "own"), tags("v1", "v2", "own", "v3")],
    [tags("v1"), tags("own"), tags("v1", "own")],
  ])("of %j and %j are applied in the order %j", (base, own, merged) => {
    expect(mergeConfiguration(base, own)).toEqual(merged);
  });

  it("keep the classes that wrangler.toml names", () => {
    const v1 = { tag: "v1", new_sqlite_classes: ["JobObject"] };
    const own = { tag: "own", new_sqlite_classes: ["InferenceContainer"] };
    expect(mergeConfiguration({ migrations: [v1] }, { migrations: [{ tag: "v1" }, own] })).toEqual({
      migrations: [v1, own],
    });
  });
});

it("computes costs from the list prices", () => {
  const { awake, busy, thousand } = containerCosts("standard-2");
  expect(awake).toBeCloseTo(0.057, 3);
  expect(busy).toBeCloseTo(0.129, 3);
  expect(thousand).toBeCloseTo(0.366, 3);
});
