import { execFile } from "node:child_process";
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { aroundEachDeployment, world } from "../../../../support/stack/deployment.ts";
import { completeAccount } from "../../../../support/stack/half-configured.ts";
import { create, AS_CLONED, cloneWith } from "../../../../support/stack/created-deployment.ts";

aroundEachDeployment();

const Config = z.object({
  main: z.string(),
  vars: z.record(z.string(), z.unknown()),
  routes: z.unknown(),
  d1_databases: z.unknown(),
  queues: z.object({ consumers: z.array(z.looseObject({ queue: z.string() })) }),
});

/** Returns Wrangler's reading of the file, in a separate process, because Wrangler changes the process that loads it. */
async function readAsWrangler(path: string) {
  const script = `import { unstable_readConfig } from "wrangler"; console.log(JSON.stringify(unstable_readConfig({ config: ${JSON.stringify(path)} })))`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  return Config.parse(JSON.parse(stdout));
}

describe("wrangler.operator.toml", () => {
  it("stays as the operator wrote it, comments too, and the next version's wrangler.toml is merged under it", async () => {
    vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", undefined);
    const clone = await cloneWith(await completeAccount(), { skipped: AS_CLONED });
    const mine =
      '# Mine.\n\n[vars]\n# For the summer.\nRETENTION_DAYS = 20\n\n[[queues.consumers]]\nqueue = "segmentation-bulk"\nmax_retries = 5\n';
    await writeFile(join(clone.folder.path, "wrangler.operator.toml"), mine);
    expect(await clone.run(create), world.printed).toBe(0);
    const own = (await clone.own()) ?? "";
    for (const line of mine.trim().split("\n")) expect(own).toContain(line);

    // An upgrade adds a queue and a setting.
    const toml = await readFile(clone.folder.config, "utf8");
    await writeFile(
      clone.folder.config,
      `${toml.replace("[vars]", '[vars]\nSTUDIO_NAME = "New"')}\n[[queues.consumers]]\nqueue = "segmentation-new"\n`,
    );
    await clone.run(["--dry-run"]);
    expect(await clone.own()).toBe(own);
    const config = await readAsWrangler(join(clone.folder.path, "wrangler.effective.json"));
    expect(config.vars).toMatchObject({
      STUDIO_NAME: "New",
      RETENTION_DAYS: 20,
      PUBLIC_URL: "https://segmentation.example.com",
      S3_BUCKET: "segmentation-media",
    });
    expect(config.routes).toEqual([{ pattern: "segmentation.example.com", custom_domain: true }]);
    expect(config.d1_databases).toMatchObject([
      { binding: "DB", database_name: "segmentation", database_id: clone.account.databases[0]?.uuid },
    ]);
    const { consumers } = config.queues;
    expect(consumers.find(({ queue }) => queue === "segmentation-bulk")).toMatchObject({
      max_retries: 5,
      dead_letter_queue: "segmentation-dead-letters",
    });
    expect(consumers.map(({ queue }) => queue)).toContain("segmentation-uploads");
    expect(config.main).toBe(join(clone.folder.path, "src", "index.ts"));
  });

  it("is refused by name if it is unreadable, and nothing of git's is in it", async () => {
    const clone = await cloneWith(await completeAccount(), {});
    await appendFile(join(clone.folder.path, "wrangler.operator.toml"), "[vars\n");
    await expect(clone.run(["--dry-run"])).rejects.toThrow("wrangler.operator.toml cannot be read");
    const ignored = (await readFile(".gitignore", "utf8")).split("\n");
    expect(ignored).toEqual(
      expect.arrayContaining(["*.operator.toml", "*.operator.env", "*.effective.json"]),
    );
    expect((await readdir(".")).filter((name) => /operator|effective/.test(name))).toEqual([]);
  });
});
