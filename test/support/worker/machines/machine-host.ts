import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Child, startListeningChild } from "../../../../scripts/shared/child.ts";
import { killMarked, type Mark } from "../../../../scripts/shared/marked-processes.ts";

/** The inference service with a model without weights. */
const SERVICE = "inference-container/test/support/service/fixture-main.ts";
const KILL = "9";

interface Machine {
  readonly child: Child;
  readonly url: string;
}

/**
 * Runs the machines of fake containers: each is a process of the real inference service, with the settings that the object gives
 * it. It runs in the test runner's process; the tests reach it by a service binding.
 */
export function machineHost(): (request: Request) => Promise<Response> {
  const machines = new Map<string, Promise<Machine>>();
  const mark: Mark = { TEST_MACHINES: randomUUID() };
  const logs = mkdtempSync(join(tmpdir(), "machines-"));
  process.once("exit", () => killMarked(mark));

  const start = (settings: Record<string, string>): Promise<Machine> =>
    startListeningChild(
      {
        name: "The machine",
        args: [SERVICE],
        env: {
          ...process.env,
          ...mark,
          HOST: "127.0.0.1",
          PORT: "0",
          MODEL_FOLDER: "fixture",
          QUEUE_CAPACITY: "1",
          ...settings,
        },
        logFile: join(logs, `${randomUUID()}.log`),
      },
      new AbortController().signal,
    );

  return async (request) => {
    const { pathname } = new URL(request.url);
    const [, id = "", verb = "", ...rest] = pathname.split("/");
    if (verb === "start") machines.set(id, start(JSON.parse(await request.text())));
    const machine = await machines.get(id);
    if (machine === undefined) return new Response(null, { status: 404 });
    if (verb === "signal") void machine.child.stop(rest[0] === KILL ? 0 : 60_000);
    if (verb === "exit") return new Response(await machine.child.ended);
    if (verb !== "fetch") return new Response();
    const body = request.method === "POST" ? await request.text() : null;
    const headers = Object.fromEntries(request.headers);
    return await fetch(`${machine.url}/${rest.join("/")}`, { method: request.method, headers, body });
  };
}
