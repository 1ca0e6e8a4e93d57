import type { Completion } from "@segmentation/protocol";
import { Lanes } from "../../../../inference-container/src/tasks/lanes.ts";
import type { Queued } from "../../../../inference-container/src/tasks/lane-queue.ts";
import type { Clock } from "./clock.ts";
import type { Offer } from "./simulated-job.ts";

/** The inference service's default. */
const HEARTBEAT_MS = 10_000;
/** Time until a report reaches the Worker. */
const REPORT_MS = 50;

const SUCCESS: Completion = {
  outcome: "success",
  output: { type: "image", units: 1, generatedAt: "", masks: [], preview: null, notice: null },
};

/** An inference service with one device: its lanes are real; places and device are simulated behind them. */
export class SimulatedService {
  readonly #limits: { readonly queueCapacity: number; readonly inFlight: number };
  readonly #clock: Clock;
  readonly #begin: (offer: Offer) => number;
  #lanes: Lanes<Offer>;
  /** Tasks that are accepted, and neither ended nor handed back. */
  #held = new Set<Offer>();
  /** Tasks with a place, the oldest first: it is on the device. */
  #inPlaces: Offer[] = [];
  #isDown = false;

  /** @param begin called when a task starts on the device; returns its milliseconds there */
  constructor(
    limits: { readonly queueCapacity: number; readonly inFlight: number },
    clock: Clock,
    begin: (offer: Offer) => number,
  ) {
    this.#limits = limits;
    this.#clock = clock;
    this.#begin = begin;
    this.#lanes = new Lanes(limits.queueCapacity);
  }

  /** Takes a task or turns it away. */
  offer(offer: Offer): "accepted" | "full" | "unreachable" {
    if (this.#isDown) return "unreachable";
    const last = this.#lanes.add(offer);
    if (last === offer) return "full";
    if (last !== undefined) this.#handBack(last);
    this.#held.add(offer);
    this.#beat(offer);
    this.#fill();
    return "accepted";
  }

  /** Returns true if a task would find room; false while the service is down. */
  hasRoom(task: Queued): boolean {
    const free = this.#limits.inFlight - this.#inPlaces.length;
    return !this.#isDown && (this.#lanes.room([task], free)[0] ?? false);
  }

  /** Stops the service until `restart`, and loses all of its tasks. */
  crash(): void {
    this.#isDown = true;
    this.#lanes = new Lanes(this.#limits.queueCapacity);
    this.#held = new Set();
    this.#inPlaces = [];
  }

  restart(): void {
    this.#isDown = false;
  }

  #fill(): void {
    while (this.#inPlaces.length < this.#limits.inFlight) {
      const next = this.#lanes.next();
      if (next === undefined) return;
      this.#inPlaces.push(next);
      if (this.#inPlaces.length === 1) this.#run(next);
    }
  }

  #run(offer: Offer): void {
    this.#clock.in(this.#begin(offer), () => {
      if (!this.#held.delete(offer)) return;
      offer.job.complete(offer.taskId, offer.lease, SUCCESS);
      this.#inPlaces.shift();
      const [next] = this.#inPlaces;
      if (next !== undefined) this.#run(next);
      this.#fill();
    });
  }

  #handBack(offer: Offer): void {
    this.#held.delete(offer);
    this.#clock.in(REPORT_MS, () => offer.job.complete(offer.taskId, offer.lease, { outcome: "returned" }));
  }

  #beat(offer: Offer): void {
    this.#clock.in(HEARTBEAT_MS, () => {
      if (this.#held.has(offer) && offer.job.extend(offer.taskId, offer.lease)) this.#beat(offer);
    });
  }
}
