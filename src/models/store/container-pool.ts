import type { DecoderRequest, ModelDescription, TaskRequest, WaitingTask } from "@segmentation/protocol";
import { inOrderFor } from "../rules/instances.ts";
import type { ContainerNamespace, MachineState } from "./container-rpc.ts";
import { InferenceClient, objectNamed } from "./inference-client.ts";
import type { InferencePool, NoModel, Room, SubmitOutcome } from "./inference-pool.ts";

/** A machine starts and loads its model in some seconds. */
const STARTING_DELAY_MS = 5_000;

interface Instance {
  readonly name: string;
  readonly client: InferenceClient;
  readonly state: MachineState;
}

/** Why no instance takes a task; an operator should check if one does not start. */
function reasonOfRest(instances: readonly Instance[]): NonNullable<Room["away"]> {
  const expected = !instances.some(({ state }) => state === "failed");
  return { reason: expected ? "the container starts" : "the container does not start", expected };
}

/**
 * Containers of Cloudflare, each behind a Durable Object of its number. They sleep. Tasks go to those that are awake; another one is
 * started only while none is awake, or if all are full.
 */
export class ContainerPool implements InferencePool {
  readonly name = "container";
  readonly #namespace: ContainerNamespace;
  readonly #clients: readonly InferenceClient[];

  constructor(namespace: ContainerNamespace, instances: number) {
    this.#namespace = namespace;
    this.#clients = Array.from(
      { length: instances },
      (_, i) => new InferenceClient(String(i), objectNamed(namespace, String(i))),
    );
  }

  async submit(request: TaskRequest, uploadId: string): Promise<SubmitOutcome> {
    const instances = await this.#instances();
    let full: SubmitOutcome | null = null;
    for (const { client } of awake(instances, uploadId)) {
      const outcome = await client.submit(request, uploadId);
      if (outcome.outcome !== "busy" || outcome.perhapsTaken) return outcome;
      full = outcome;
    }
    await this.#wakeNext(instances);
    if (full !== null) return full;
    const rest = reasonOfRest(instances);
    return { outcome: "busy", delayMs: STARTING_DELAY_MS, ...rest, perhapsTaken: false };
  }

  async room(tasks: readonly WaitingTask[], uploadId: string): Promise<Room | null> {
    const instances = await this.#instances();
    const candidates = awake(instances, uploadId);
    let left = tasks.map((task, i) => ({ task, i }));
    let away: Room["away"] = null;
    let isHere = false;
    for (const { client } of candidates) {
      if (left.length === 0) break;
      const waiting = left.map(({ task }) => task);
      const answer = await client.room(waiting, uploadId);
      if (answer === null) return null;
      ({ away } = answer);
      isHere ||= away === null;
      left = left.filter((_, place) => answer.room[place] !== true);
    }
    if (left.length > 0) await this.#wakeNext(instances);
    const without = new Set(left.map(({ i }) => i));
    away ??= candidates.length === 0 ? reasonOfRest(instances) : null;
    return { room: tasks.map((_, i) => !without.has(i)), away: isHere ? null : away };
  }

  /** Describes the model, which all instances share. Their first object knows it, so this wakes a machine for a new image only. */
  async describeModel(): Promise<ModelDescription | NoModel> {
    const [first] = this.#clients;
    return first === undefined ? { reason: "there are no instances" } : await first.describeModel();
  }

  /** Asks an instance that is awake: none is started for this. */
  async putDecoder(request: DecoderRequest): Promise<void> {
    const instances = await this.#instances();
    await instances.find(({ state }) => state === "up")?.client.putDecoder(request);
  }

  async cancel(key: string, uploadId: string): Promise<void> {
    const instances = await this.#instances();
    await Promise.all(awake(instances, uploadId).map(({ client }) => client.cancel(key, uploadId)));
  }

  #instances(): Promise<Instance[]> {
    return Promise.all(
      this.#clients.map(async (client) => {
        const { name } = client;
        return { name, client, state: await this.#namespace.getByName(name).machine() };
      }),
    );
  }

  /** Starts the lowest instance that is asleep, unless one is starting: all isolates that need one more choose the same. */
  async #wakeNext(instances: readonly Instance[]): Promise<void> {
    if (instances.some(({ state }) => state === "starting")) return;
    const next = instances.find(({ state }) => state === "asleep");
    if (next !== undefined) await this.#namespace.getByName(next.name).wake();
  }
}

const awake = (instances: readonly Instance[], uploadId: string): Instance[] =>
  inOrderFor(
    uploadId,
    instances.filter(({ state }) => state === "up"),
  );
