import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { aroundEachDeployment, world } from "../../../../support/stack/deployment.ts";
import { completeAccount, emptyAccount } from "../../../../support/stack/half-configured.ts";
import { CHANGES, cloneWith, create } from "../../../../support/stack/created-deployment.ts";

aroundEachDeployment();

describe("npm run deploy -- --create", () => {
  it("uses the account's database of that name, and leaves an id that it does not know", async () => {
    const existing = { uuid: "99999999-0000-0000-0000-000000000000", name: "segmentation" };
    const fresh = await cloneWith(
      { ...(await completeAccount()), databases: [existing] },
      { skipped: ["database"] },
    );
    expect(await fresh.run(["--create", "--yes"])).toBe(0);
    expect(parse((await fresh.own()) ?? "")).toEqual({
      d1_databases: [{ binding: "DB", database_id: existing.uuid }],
    });
    for (const databases of [[], [existing]]) {
      const other = await cloneWith({ ...(await completeAccount()), databases }, {});
      expect(await other.run(["--create", "--yes"])).toBe(1);
      expect(other.calls.filter((words) => CHANGES.test(words))).toEqual([]);
      expect(await other.own()).toBeNull();
    }
  });

  it("leaves CORS rules, lifecycle rules and secrets that are there", async () => {
    const account = await completeAccount();
    const bucket = account.buckets["segmentation-media"];
    if (bucket === undefined) throw new Error("no bucket");
    bucket.methods = ["GET"];
    bucket.lifecycle = [{ prefix: "inputs/", enabled: true, days: 2 }, ...bucket.lifecycle.slice(2)];
    const clone = await cloneWith(account, {});
    expect(await clone.run(["--create", "--yes"])).toBe(1);
    expect(clone.calls.filter((words) => CHANGES.test(words))).toEqual([]);
    expect(world.printed).toContain("deletes objects after 2 days that the service keeps for 30");
  });

  it("makes no secret while the existing ones are unknown", async () => {
    const clone = await cloneWith({ ...emptyAccount(), broken: ["secret list"] });
    expect(await clone.run(create)).toBe(1);
    expect(clone.calls).not.toContain("secret bulk");
  });

  it("lets the bucket report uploads to the queue that only the bucket fills, and to no other", async () => {
    const account = await completeAccount();
    const media = account.buckets["segmentation-media"] ?? expect.fail();
    media.events = [{ queue: "elsewhere", prefix: "", types: "PutObject" }];
    const clone = await cloneWith(account, {});
    expect(await clone.run(["--dry-run"])).toBe(1);
    expect(world.printed).toContain(
      "r2 bucket notification create segmentation-media --event-types object-create --prefix inputs/ --queue segmentation-uploads",
    );
    expect(await clone.run(["--create", "--yes"])).toBe(0);
    expect(media.events.map(({ queue }) => queue)).toEqual(["elsewhere", "segmentation-uploads"]);
  });

  it("adds the rate limits that an older configuration lacks", async () => {
    const edit = (toml: string) =>
      toml.replace(/\[\[ratelimits\]\]\nname = "ADDRESS_RATE_LIMIT"\n.*\n.*\n/, "");
    const clone = await cloneWith(await completeAccount(), { edit });
    expect(await clone.run(["--dry-run"])).toBe(1);
    expect(world.printed).toContain("rate limit ADDRESS_RATE_LIMIT");
    expect(await clone.run(["--create", "--yes"])).toBe(0);
    expect(parse((await clone.own()) ?? "")).toEqual({
      ratelimits: [{ name: "ADDRESS_RATE_LIMIT", namespace_id: "1002", simple: { limit: 300, period: 60 } }],
    });
  });
});
