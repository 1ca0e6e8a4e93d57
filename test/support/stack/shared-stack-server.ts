import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { listen } from "../../../scripts/shared/listen.ts";
import { stateFolder } from "../../../scripts/shared/state/state-folder.ts";
import { errorLines } from "./error-lines.ts";
import { type SpawnedStack, spawnStack } from "./spawn-stack.ts";

interface Shared {
  readonly stateDir: string;
  readonly stack: SpawnedStack;
}

async function start(): Promise<Shared> {
  const stateDir = await mkdtemp(join(tmpdir(), "shared-stack-"));
  return { stateDir, stack: await spawnStack({ stateDir }) };
}

/** Keeps one stack for all test files that ask for it: started for the first of them, stopped after the last file. */
export default async function serveSharedStack(project: TestProject): Promise<() => Promise<void>> {
  let shared: Promise<Shared> | undefined;
  const server = createServer((_, response) => {
    shared ??= start();
    shared.then(
      ({ stateDir, stack }) => response.end(JSON.stringify({ stateDir, ...stack })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  // The first request waits for as long as a start takes.
  server.requestTimeout = 0;
  project.provide("sharedStackUrl", await listen(server));
  return async () => {
    server.close();
    if (shared === undefined) return;
    const { stateDir, stack } = await shared;
    const code = await stack.stop();
    const files = project.vitest.state.getTestModules().filter((file) => file.project === project);
    if (code !== 0 || files.some((file) => !file.ok())) {
      const lines = await errorLines(stateFolder(stateDir).logs);
      console.error(`\nThe shared stack logged ${lines.length === 0 ? "no error." : "these errors:"}`);
      for (const line of lines) console.error(line);
    }
    await rm(stateDir, { recursive: true });
    if (code !== 0) throw new Error(`The shared stack ended with exit code ${code}.`);
  };
}
