import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { newWebhookSecret, signedHeaders } from "../../../src/webhooks/rules/signing.ts";
import { present } from "../../support/at.ts";

const page = readFileSync("docs/webhooks.md", "utf8");
const exampleIn = (language: string): string =>
  present(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(page)?.[1], language);

const hasPython = (() => {
  try {
    execFileSync("python3", ["--version"]);
    return true;
  } catch {
    return false;
  }
})();

/** The program and the file of an example that reads a request as JSON and prints its event's type. */
const EXAMPLES: Readonly<Record<string, readonly [program: string, file: string, source: () => string]>> = {
  TypeScript: [
    process.execPath,
    "example.ts",
    () => `${exampleIn("ts").replace('"standardwebhooks"', JSON.stringify(createRequire(import.meta.url).resolve("standardwebhooks")))}
      import { readFileSync } from "node:fs";
      const { secret, headers, body } = JSON.parse(readFileSync(0, "utf8"));
      console.log(eventOf(secret, headers, body).type);`,
  ],
  ...(hasPython && {
    Python: [
      "python3",
      "example.py",
      () => `${exampleIn("python")}
import sys
request = json.load(sys.stdin)
print(event_of(request["secret"], request["headers"], request["body"].encode())["type"])`,
    ],
  }),
};

interface Sent {
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns the example's output for a request. @throws its standard error, if it refuses the request */
function run([program, file, source]: (typeof EXAMPLES)[string], sent: Sent): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "webhook-example-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, file), source());
  return new Promise((resolve, reject) => {
    const child = execFile(program, [join(folder, file)], (error, stdout, stderr) => {
      if (error === null) resolve(stdout.trim());
      else reject(new Error(stderr));
    });
    child.stdin?.end(JSON.stringify(sent));
  });
}

describe.each(Object.entries(EXAMPLES))("the page's example in %s", (_, example) => {
  it("reads the service's signed request, and refuses one that is forged, changed or old [A3-14]", async () => {
    const body = '{"type":"job.succeeded","data":{"error":"ü"}}';
    const [secret, other] = [newWebhookSecret(), newWebhookSecret()];
    const headers = await signedHeaders([other, secret], "evt_1", body, Date.now());
    const old = await signedHeaders([secret], "evt_1", body, Date.now() - 301_000);
    expect(await run(example, { secret, headers, body })).toBe("job.succeeded");
    const refused = await Promise.allSettled([
      run(example, { secret: newWebhookSecret(), headers, body }),
      run(example, { secret, headers, body: `${body} ` }),
      run(example, { secret, headers: { ...headers, "webhook-id": "evt_2" }, body }),
      run(example, { secret, headers: old, body }),
    ]);
    for (const { status } of refused) expect(status).toBe("rejected");
    expect(String(refused.map((one) => (one.status === "rejected" ? one.reason : "")))).toMatch(
      /signature|old/,
    );
  });
});
