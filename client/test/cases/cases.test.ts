import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { pythonWith } from "../../../test/support/clients/python.ts";
import { callClient } from "./call-client.ts";
import { Case, serveCases } from "./serve-cases.ts";

const SECRET = "whsec_c2VjcmV0LW9mLXRoZS1jYXNlcw==";
const text = await readFile(join(import.meta.dirname, "cases.json"), "utf8");
const cases = z.array(Case).parse(JSON.parse(text.replaceAll("{secret}", SECRET)));
// A signature is good for five minutes.
for (const { given } of cases.map(({ call }) => call))
  if (given["headers"] === "signed") {
    const now = new Date();
    given["headers"] = {
      "Webhook-Id": "evt_1",
      "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
      "webhook-signature": `v1,bm8= ${new Webhook(SECRET).sign("evt_1", now, String(given["payload"]))}`,
    };
  }

const python = pythonWith("httpx");
let fake: Awaited<ReturnType<typeof serveCases>>;
beforeAll(async () => {
  fake = await serveCases(cases);
});
afterAll(() => fake.close());

/** Results of each case with a client of Python. */
async function outcomesInPython(name: string): Promise<unknown[]> {
  const folder = await mkdtemp(join(tmpdir(), "cases-"));
  const file = join(folder, "cases.json");
  await writeFile(file, JSON.stringify(cases));
  const args = [join(PROJECT_ROOT, "python/test/run_cases.py"), file, fake.origin, name];
  const env = { ...process.env, PYTHONPATH: join(PROJECT_ROOT, "python/src"), PYTHONDONTWRITEBYTECODE: "1" };
  try {
    const { stdout } = await promisify(execFile)(python ?? "", args, { env });
    return stdout
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe.each(["TypeScript", "Client", "AsyncClient"])("of the clients' cases, %s passes", (name) => {
  let outcomes: unknown[] | undefined;
  it.skipIf(name !== "TypeScript" && python === null).each(cases.map((each, i) => [each.name, i] as const))(
    "%s",
    async (_, i) => {
      if (name !== "TypeScript") outcomes ??= await outcomesInPython(name);
      const one = cases[i] ?? expect.fail();
      const place = `/${name}/${i}`;
      const outcome = outcomes === undefined ? await callClient(one, fake.origin + place) : outcomes[i];
      expect(fake.complaintsOf(place)).toEqual([]);
      const wanted = "result" in one ? { result: one.result } : { error: one.error };
      expect(outcome).toMatchObject(
        JSON.parse(JSON.stringify(wanted).replaceAll("{base}", fake.origin + place)),
      );
    },
  );
});
