import { Lane, type TaskRequest } from "@segmentation/protocol";
import { LaneQueue, type Queued } from "./lane-queue.ts";

/** Seconds after which the Worker may offer a task again that found no room. */
export const RETRY_FULL_SECONDS = 2;

/**
 * The tasks that wait for a place: a bounded line for the pictures of each lane, and one for its videos, which would
 * otherwise keep the pictures out for hours.
 */
export class Lanes<Request extends Queued> {
  /** In the order in which they are served. */
  readonly #lines: readonly {
    readonly lane: Lane;
    readonly type: TaskRequest["type"];
    readonly line: LaneQueue<Request>;
  }[];

  /** @param capacity the number of tasks that may wait in each line */
  constructor(capacity: number) {
    this.#lines = Lane.options.flatMap((lane) =>
      (["image", "video"] as const).map((type) => ({ lane, type, line: new LaneQueue<Request>(capacity) })),
    );
  }

  /** True if a task finds room only if another gives way to it. */
  isFull(request: Queued): boolean {
    return this.#lineOf(request)?.isFull ?? true;
  }

  /** Adds a task. Returns the task for which its line has no room then: the new task, or a task that gives way. */
  add(request: Request): Request | undefined {
    return this.#lineOf(request)?.add(request);
  }

  /**
   * Tells for each of these tasks whether it would find room if all were offered now, in this order.
   * @param freePlaces the number of pictures that would go to a place at once
   */
  room(tasks: readonly Queued[], freePlaces: number): boolean[] {
    const lines = this.#lines.map(({ lane, type, line }) => {
      const tried: LaneQueue<Queued> = line.copy(type === "image" ? freePlaces : 0);
      return { lane, type, tried };
    });
    const lineOf = ({ lane, type }: Queued) => lines.find((each) => each.lane === lane && each.type === type);
    // Copies: the same task may occur twice.
    const asked = tasks.map((task) => ({ ...task }));
    for (const task of asked) lineOf(task)?.tried.add(task);
    return asked.map((task) => lineOf(task)?.tried.has(task) ?? false);
  }

  /** Takes out the task whose turn it is, by lane and then by the line's order. @param type the only type for which there is a place */
  next(type?: TaskRequest["type"]): Request | undefined {
    for (const each of this.#lines) {
      const first = type === undefined || each.type === type ? each.line.next() : undefined;
      if (first !== undefined) return first;
    }
    return undefined;
  }

  /** Takes out a task that no longer has to wait. */
  remove(request: Request): void {
    this.#lineOf(request)?.remove(request);
  }

  /** The number of tasks that wait in a lane, pictures and videos. */
  depth(lane: Lane): number {
    return this.#lines.reduce((sum, each) => (each.lane === lane ? sum + each.line.length : sum), 0);
  }

  #lineOf({ lane, type }: Queued): LaneQueue<Request> | undefined {
    return this.#lines.find((each) => each.lane === lane && each.type === type)?.line;
  }
}
