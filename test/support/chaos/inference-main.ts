/**
 * The inference service behind a front that misbehaves in both directions: toward the Worker, which offers tasks, and toward the
 * service, which reports. Kills service and engine now and then. A fault shim for tests, never deployed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { Draws, type FaultTable } from "./draws.ts";
import { type Answer, emptyAnswer, listen, passOn, type Taken } from "./exchange.ts";
import { COMPLETION_FAULTS, OFFER_FAULTS, OTHER_FAULTS } from "./faults.ts";
import { InferenceProcess } from "./inference-process.ts";

const Environment = z.object({
  /** The seed of the draws in this life of the front. */
  CHAOS_SEED: z.string(),
  CHAOS_SERVICE: z.string(),
  /** The Worker's origin, as the stack passes it. */
  CALLBACK_ORIGINS: z.url(),
});
const { CHAOS_SEED, CHAOS_SERVICE, CALLBACK_ORIGINS: worker } = Environment.parse(process.env);

/** Longer than Worker and service wait for an answer. */
const HANG_MS = 12_000;
/** Delay of a late report: around the time at which another holder has the lease. */
const LATE_MS = [13_000, 22_000] as const;

const draws = new Draws(`inference ${CHAOS_SEED}`);

function draw<Fault extends string>(table: FaultTable<Fault>): Fault | null {
  const fault = draws.fault(table);
  if (fault !== null) console.log(JSON.stringify({ event: "chaos_fault", fault }));
  return fault;
}

const FAILED = emptyAnswer(500);

async function complete(request: Taken): Promise<Answer> {
  switch (draw(COMPLETION_FAULTS)) {
    case "completion_lost":
      return emptyAnswer(204);
    case "completion_late":
      setTimeout(() => void passOn(request, worker), draws.between(...LATE_MS));
      return emptyAnswer(204);
    case "completion_refused":
      return FAILED;
    case "completion_answer_lost":
      await passOn(request, worker);
      return null;
    case "completion_doubled": {
      const [answer] = await Promise.all([passOn(request, worker), passOn(request, worker)]);
      return answer;
    }
    case "completion_hung":
      await sleep(HANG_MS);
      return passOn(request, worker);
    case null:
      return passOn(request, worker);
  }
}

const disturbed = (request: Taken, origin: string | null): Promise<Answer> =>
  draw(OTHER_FAULTS) === null ? passOn(request, origin) : Promise.resolve(FAILED);

const callbacks = await listen((request) =>
  request.path.endsWith("/complete") ? complete(request) : disturbed(request, worker),
);

const service = new InferenceProcess(CHAOS_SERVICE, { CALLBACK_ORIGINS: callbacks });

const OfferedTask = z.looseObject({ callbackUrl: z.url() });

/** Returns the offer with the front in the Worker's place: the service reports only to it. */
function reporting(request: Taken): Taken {
  const task = OfferedTask.parse(JSON.parse(request.body.toString()));
  const callbackUrl = new URL(new URL(task.callbackUrl).pathname, callbacks).href;
  return { ...request, body: Buffer.from(JSON.stringify({ ...task, callbackUrl })) };
}

async function offer(request: Taken): Promise<Answer> {
  const fault = draw(OFFER_FAULTS);
  if (fault === "offer_refused") return FAILED;
  if (fault === "offer_hung") await sleep(HANG_MS);
  const answer = await passOn(reporting(request), service.url);
  if (fault === "service_killed") service.killService();
  if (fault === "engine_killed") service.killEngines();
  return fault === "offer_answer_lost" ? FAILED : answer;
}

const url = await listen((request) => {
  if (request.method === "POST" && request.path === "/v1/tasks") return offer(request);
  if (request.method === "DELETE") return disturbed(request, service.url);
  return passOn(request, service.url);
});

process.on("SIGTERM", () => {
  void service.close().then(() => process.exit(0));
});
console.log(JSON.stringify({ msg: "listening", url }));
