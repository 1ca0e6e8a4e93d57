import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { WalkReport } from "../../walk/walk.ts";
import type { Platform } from "./platform.ts";
import type { Bundle } from "./bundle.ts";

/** The runtime's program itself; a command of that name starts it as a child, which would outlive its end. */
const { default: program }: { readonly default: string } = createRequire(import.meta.url)("workerd");

const CONFIGURATION = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "walk", worker = (
      modules = [(name = "worker", esModule = embed "worker.mjs")],
      compatibilityDate = "2026-08-01",
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "walk", address = "127.0.0.1:0", http = (), service = "walk")],
);
`;

/** The port that workerd has chosen, as its control stream reports it. */
async function portOf(control: NodeJS.ReadableStream): Promise<number> {
  const [line] = await once(control, "data");
  const { port }: { port: number } = JSON.parse(String(line).split("\n")[0] ?? "");
  return port;
}

/** The Workers runtime, which asks the service from inside a Worker. */
export const workerd =
  (bundle: Bundle): Platform =>
  async (options) => {
    const main =
      "export default { fetch: async (request) => Response.json(await walk(await request.json())) };";
    const folder = dirname(await bundle("worker", main));
    await writeFile(join(folder, "config.capnp"), CONFIGURATION);
    const runtime = spawn(program, ["serve", "config.capnp", "--control-fd=1"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(runtime, "exit");
    try {
      const port = await portOf(runtime.stdout);
      const answer = await fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        body: JSON.stringify(options),
      });
      const report: WalkReport[] = JSON.parse(await answer.text());
      return report;
    } finally {
      runtime.kill();
      await ended;
    }
  };
