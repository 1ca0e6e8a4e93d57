import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { DecoderRequest, ModelDescription, TaskRequest, WaitingTask } from "@segmentation/protocol";
import type {
  InferencePool,
  NoModel,
  Room,
  SubmitOutcome,
} from "../../../../src/models/store/inference-pool.ts";
import { InferencePools } from "../../../../src/models/store/inference-pools.ts";
import { PoolModels } from "../../../../src/models/store/pool-models.ts";
import { platformOf } from "../../../../src/platform.ts";
import { DESCRIPTION } from "./elsewhere.ts";

/** `silent` is a pool that takes tasks and whose answer to an offer gets lost. */
export type Condition = "up" | "away" | "silent";

const unanswered = { delayMs: 2_000, reason: "no answer", expected: false, perhapsTaken: true };

/** A pool of the inference service whose condition a test decides. */
export class SimulatedPool implements InferencePool {
  readonly name: string;
  readonly model: ModelDescription;
  capacity: number;
  condition: Condition = "up";
  readonly running = new Map<string, TaskRequest>();
  /** All that it ever began, by their keys. */
  readonly begun: string[] = [];
  readonly cancelled: string[] = [];
  readonly decoders: DecoderRequest[] = [];

  constructor(name: string, capacity: number, model: Partial<ModelDescription> = {}) {
    this.name = name;
    this.capacity = capacity;
    this.model = { ...DESCRIPTION, id: name, vocabulary: "open", ...model };
  }

  get hasRoom(): boolean {
    return this.condition === "up" && this.running.size < this.capacity;
  }

  async submit(request: TaskRequest): Promise<SubmitOutcome> {
    if (this.condition === "away") return { outcome: "busy", ...unanswered };
    if (this.running.size >= this.capacity)
      return { outcome: "busy", delayMs: 2_000, reason: "full", expected: true, perhapsTaken: false };
    this.running.set(request.key, request);
    this.begun.push(request.key);
    return this.condition === "up" ? { outcome: "accepted" } : { outcome: "busy", ...unanswered };
  }

  async room(tasks: readonly WaitingTask[]): Promise<Room> {
    const isAway = this.condition === "away";
    const free = isAway ? 0 : this.capacity - this.running.size;
    const away = isAway ? { reason: "no answer", expected: false } : null;
    return { room: tasks.map((_, i) => i < free), away };
  }

  async describeModel(): Promise<ModelDescription | NoModel> {
    return this.condition === "away" ? { reason: "no answer" } : this.model;
  }

  async putDecoder(request: DecoderRequest): Promise<void> {
    this.decoders.push(request);
  }

  async cancel(key: string): Promise<void> {
    if (this.condition === "away") return;
    this.cancelled.push(key);
    this.running.delete(key);
  }
}

/** Gives the service these pools, in this order, for the rest of the test. */
export function installPools(pools: readonly InferencePool[]): void {
  const inference = new InferencePools(pools, new PoolModels(env.DB));
  Object.assign(platformOf(env), { inference });
  // A JobObject has another platform.
  const cancel = inference.cancel.bind(inference);
  vi.spyOn(InferencePools.prototype, "cancel").mockImplementation(cancel);
}
