import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeService } from "../support/fake-service.ts";
import { serve } from "../support/serve.ts";
import { type Ran, runCli } from "./support/run-cli.ts";

describe("login", () => {
  let folder: string;
  let baseUrl: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "login-"));
    baseUrl = await serve(fakeService().app);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const path = (): string => join(folder, "segmentation-client", "config.json");
  const run = (...args: string[]): Promise<Ran> => runCli(args, { env: { XDG_CONFIG_HOME: folder } });
  const pipeIn = (stdin: string): Promise<Ran> =>
    runCli(["login", "--base-url", baseUrl], { env: { XDG_CONFIG_HOME: folder }, stdin });

  /**
   * Types keys at a terminal. Returns the command's result, and a flag that is true if the terminal shows keys again.
   */
  async function type(keys: string): Promise<Ran & { readonly isRaw: boolean | undefined }> {
    let isRaw: boolean | undefined;
    const stdin = Object.assign(new PassThrough(), {
      isTTY: true,
      setRawMode: (raw: boolean) => (isRaw = raw),
    });
    const ended = runCli(["login", "--base-url", baseUrl], { env: { XDG_CONFIG_HOME: folder }, stdin });
    for (const key of keys) stdin.write(key);
    return { ...(await ended), isRaw };
  }

  it("takes a key that is typed and not shown, and the other commands then use it", async () => {
    const { code, out, err, isRaw } = await type("sk_live_faxx\x7f\x7fke\r");
    expect([code, isRaw]).toEqual([0, false]);
    expect(err).toContain(`Logged in to ${baseUrl} as ada@example.com.`);
    expect(out + err).not.toContain("sk_live");
    expect(JSON.parse(await readFile(path(), "utf8"))).toEqual({
      baseUrl,
      keys: { [baseUrl]: "sk_live_fake" },
    });
    expect((await stat(path())).mode & 0o777).toBe(0o600);
    expect((await run("account")).out).toContain("ada@example.com");
  });

  it.each([
    [{}, "paid"],
    [{ mode: "trial", reason: "trial_active" }, "trial: active"],
    [{ mode: "blocked", reason: "billing_delinquent" }, "blocked: billing delinquent"],
  ] as const)("shows an account's access %j once: %s", async (access, shown) => {
    const env = {
      SEGMENTATION_BASE_URL: await serve(fakeService({ access }).app),
      SEGMENTATION_API_KEY: "sk_live_fake",
    };
    const { out } = await runCli(["account"], { env });
    expect(out.split("\n").find((line) => line.startsWith("access"))).toBe(`access         ${shown}`);
  });

  it("changes nothing at Ctrl-C, or for a wrong, missing or malformed key", async () => {
    expect(await type("sk_live\x03")).toMatchObject({
      code: 1,
      err: expect.stringContaining("Nothing was changed."),
    });
    expect(await pipeIn("sk_live_wrong")).toMatchObject({
      code: 1,
      err: expect.stringContaining("does not accept"),
    });
    expect(await pipeIn("\n")).toMatchObject({ code: 1, err: expect.stringContaining("No key was given.") });
    expect(await pipeIn("two words")).toMatchObject({
      code: 1,
      err: expect.stringContaining("This is not an API key"),
    });
    await expect(stat(path())).rejects.toThrow("ENOENT");
  });

  it("keeps a key for each service, sends it to no other, and forgets it", async () => {
    await pipeIn("sk_live_fake");
    const other = await serve(fakeService().app);
    expect(await run("account", "--base-url", other)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`There is no API key for ${other}.`),
    });
    expect((await run("login", "--remove")).code).toBe(0);
    expect(JSON.parse(await readFile(path(), "utf8"))).toEqual({ baseUrl, keys: {} });
  });
});
