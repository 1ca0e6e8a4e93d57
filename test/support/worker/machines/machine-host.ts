import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Child, startListeningChild } from "../../../../scripts/shared/child.ts";
import { killMarked, type Mark } from "../../../../scripts/shared/marked-processes.ts";

/** The folder of the model without weights, which only the tests' service has. */
const FIXTURE = "fixture";
const FIXTURE_SERVICE = "inference-container/test/support/service/fixture-main.ts";
const SERVICE = "inference-container/src/main.ts";
const KILL = "9";

interface Machine {
  readonly child: Child;
  readonly url: string;
}

function endedWithProcess(): Mark {
  const mark = { TEST_MACHINES: randomUUID() };
  process.once("exit", () => killMarked(mark));
  return mark;
}

/**
 * Runs the machines of fake containers: each is a process of the real inference service, with the settings that the object gives
 * it. It runs in the test runner's process; the tests reach it by a service binding.
 * @param folder the model folder
 * @param mark the mark of the machines' processes
 */
export function machineHost(
  folder = FIXTURE,
  mark = endedWithProcess(),
): (request: Request) => Promise<Response> {
  const machines = new Map<string, Promise<Machine>>();
  const logs = mkdtempSync(join(tmpdir(), "machines-"));

  const start = (settings: Record<string, string>): Promise<Machine> =>
    startListeningChild(
      {
        name: "The machine",
        args: [folder === FIXTURE ? FIXTURE_SERVICE : SERVICE],
        env: {
          ...process.env,
          ...mark,
          HOST: "127.0.0.1",
          PORT: "0",
          MODEL_FOLDER: folder,
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
