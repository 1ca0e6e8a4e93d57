import { readFile } from "node:fs/promises";
import { parse } from "smol-toml";
import { expect, it } from "vitest";

it("the crons of wrangler.toml and of the Worker are the same", async () => {
  const { triggers } = parse(await readFile("wrangler.toml", "utf8"));
  const code = await readFile("src/runtime/scheduled.ts", "utf8");
  const known = [...code.matchAll(/^ {2}"(\S+ \S+ \S+ \S+ \S+)": /gm)].map(([, cron = ""]) => cron);
  expect(triggers).toEqual({
    crons: expect.toSatisfy(
      (crons: readonly string[]) => String(crons.toSorted()) === String(known.toSorted()),
    ),
  });
});
