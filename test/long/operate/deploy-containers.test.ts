import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import type { Wrangler } from "../../../scripts/operate/deploy/cloudflare.ts";
import { runDeploy } from "../../../scripts/operate/deploy/run.ts";
import type { Outcome } from "../../../scripts/operate/verify/row.ts";
import { ROWS } from "../../../scripts/operate/verify/run.ts";
import { verifyService } from "../../../scripts/operate/verify/service.ts";
import { DELETED } from "../../support/network/breakages.ts";
import { AS_CLONED, CHANGES, KEYS } from "../../support/stack/created-deployment.ts";
import { fake } from "../../support/stack/deployment.ts";
import { copyConfiguration, type DeployFolder, emptyAccount } from "../../support/stack/half-configured.ts";
import { serveDeployment, type ServedDeployment } from "../../support/stack/served-deployment.ts";
import { PATIENT } from "../../support/stack/verified-stack.ts";

const DOMAIN = "segmentation.example.com";
const IMAGE = "docker.io/example/segmentation-inference:1.0.0";
const ARGUMENTS = [
  "--create",
  "--yes",
  "--verify",
  "--json",
  "--domain",
  DOMAIN,
  "--inference",
  "cloudflare",
];

let folder: DeployFolder;
let served: ServedDeployment | null = null;
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await served?.stop();
  await rm(folder.path, { recursive: true });
});

it("goes from an empty account to verified containers in one run, and again without a change", async () => {
  folder = await copyConfiguration(AS_CLONED);
  for (const [name, value] of Object.entries({ ...KEYS, SEGMENTATION_API_KEY: "of-no-account" }))
    vi.stubEnv(name, value);
  const account = emptyAccount();
  const { wrangler, calls } = fake(account);
  /** Cloudflare's part: a deployment runs. The second one is the same. */
  const deploying: Wrangler = async (args, ...rest) => {
    const output = await wrangler(args, ...rest);
    if (args[0] === "deploy") served ??= await serveDeployment(account, folder, IMAGE);
    return output;
  };
  const { fetch: real } = globalThis;
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    return real(url.replace(`https://${DOMAIN}`, served?.baseUrl ?? ""), init);
  });
  const run = async () => {
    calls.length = 0;
    let printed = "";
    vi.spyOn(console, "log").mockImplementation((text: unknown) => void (printed += `${String(text)}\n`));
    const { signal } = new AbortController();
    const code = await runDeploy([...ARGUMENTS, "--image", IMAGE, "--config", folder.config], signal, {
      wrangler: deploying,
      verify: async (_, until) => {
        if (served === null) throw new Error("nothing was deployed");
        return await verifyService({ ...served, form: { ...PATIENT, coldStartMs: 180_000 } }, until);
      },
    });
    const { verified, ...report } = JSON.parse(printed);
    expect(report).toMatchObject({ ready: true, deployed: true, healthy: true });
    const rows: Outcome[] = verified;
    expect(rows.filter(({ verdict }) => verdict === "wrong")).toEqual([]);
    expect(rows.map(({ name }) => name)).toEqual([...ROWS.map(({ name }) => name), DELETED]);
    expect(rows.find(({ name }) => name === "pool container")).toMatchObject({ verdict: "ok" });
    expect(code).toBe(0);
  };
  const own = () => readFile(join(folder.path, "wrangler.operator.toml"), "utf8");

  await run();
  const before = [structuredClone(account), await own()];
  await run();
  expect(calls.filter((words) => CHANGES.test(words))).toEqual([]);
  expect([account, await own()]).toEqual(before);
});
