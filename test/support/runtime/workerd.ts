import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";

const { default: workerd }: { readonly default: string } = createRequire(import.meta.url)("workerd");
const Port = z.object({ port: z.number() });
const Configuration = z.object({ compatibility_date: z.string(), compatibility_flags: z.array(z.string()) });

/** Returns wrangler.toml's settings of the runtime. */
export const runtimeOf = async () => Configuration.parse(parse(await readFile("wrangler.toml", "utf8")));

/**
 * Starts the Workers runtime, without Wrangler and Miniflare around it.
 * @param files by name; `config.capnp` has a socket
 * @returns the socket's address, and a function that ends the runtime
 */
export async function startWorkerd(
  files: Readonly<Record<string, string>>,
): Promise<{ url: string; end: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "workerd-"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const runtime = spawn(workerd, ["serve", "config.capnp", "--control-fd=1"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(runtime, "exit");
  const end = async () => {
    runtime.kill();
    await ended;
    await rm(folder, { recursive: true });
  };
  const [line] = await once(runtime.stdout, "data");
  const { port } = Port.parse(JSON.parse(String(line).split("\n")[0] ?? ""));
  return { url: `http://127.0.0.1:${port}/`, end };
}
