import { afterEach, expect, it } from "vitest";
import { runtimeOf, startWorkerd } from "../support/runtime/workerd.ts";

const FLAG = "global_fetch_strictly_public";

/**
 * The configuration of two Workers of one zone, each with a separate host, and workerd's replacement for the Internet:
 * `outbound`, which reports the requests that reach it. The first Worker fetches the URLs in its request.
 */
const configurationOf = (
  flags: readonly string[],
): string => `using Workerd = import "/workerd/workerd.capnp";
const service :Workerd.Worker = (
  modules = [(name = "service", esModule =
    "export default { fetch: async (request) => Response.json({
      isStrict: Cloudflare.compatibilityFlags.${FLAG},
      answers: await Promise.all((await request.json()).map(async (url) => (await fetch(url)).text())),
    }) };")],
  compatibilityDate = "2026-08-01",
  compatibilityFlags = ${JSON.stringify(flags)},
  globalOutbound = "outbound",
);
const admin :Workerd.Worker = (
  modules = [(name = "admin", esModule = "export default { fetch: () => new Response('past the firewall') };")],
  compatibilityDate = "2026-08-01",
);
const outbound :Workerd.Worker = (
  modules = [(name = "outbound", esModule =
    "export default { fetch: ({ url }) => new Response('as from the Internet: ' + url) };")],
  compatibilityDate = "2026-08-01",
);
const config :Workerd.Config = (
  services = [
    (name = "segmentation.example.com", worker = .service),
    (name = "admin.example.com", worker = .admin),
    (name = "outbound", worker = .outbound),
  ],
  sockets = [(name = "service", address = "127.0.0.1:0", http = (), service = "segmentation.example.com")],
);
`;

const after: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of after.splice(0).toReversed()) await end();
});

/** Returns the first Worker's answers from the URLs, with these flags. */
async function askAs(flags: readonly string[], urls: readonly string[]): Promise<unknown> {
  const text = configurationOf(flags).replace(/"export default[^"]*"/g, (code) =>
    code.replace(/\s*\n\s*/g, " "),
  );
  const { url, end } = await startWorkerd({ "config.capnp": text });
  after.push(end);
  const response = await fetch(url, { method: "POST", body: JSON.stringify(urls) });
  return await response.json();
}

it("a request to another host of the own zone leaves as any other does, by the Worker's flags [A6-12]", async () => {
  const { compatibility_flags: flags } = await runtimeOf();
  const urls = ["https://admin.example.com/users", "https://elsewhere.example.net/"];
  const answers = urls.map((url) => `as from the Internet: ${url}`);
  expect(await askAs(flags, urls)).toEqual({ isStrict: true, answers });
  // workerd has no zones: the flag only has an effect on the platform. See decision 0039.
  expect(
    await askAs(
      flags.filter((flag) => flag !== FLAG),
      urls,
    ),
  ).toEqual({ isStrict: false, answers });
});
