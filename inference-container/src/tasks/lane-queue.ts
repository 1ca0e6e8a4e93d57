import type { WaitingTask } from "@segmentation/protocol";

/** Fields that decide the order of waiting tasks. */
export type Queued = Readonly<WaitingTask>;

/** The number of tasks, of those that left a line, whose accounts are remembered. */
const RECENT = 48;

/**
 * The rank of a task by the number of its account's tasks before it: 0 for up to 1, 1 for up to 5, 2 for up to 13, and
 * so on. The steps are wide because chance decides which of equally busy accounts had more places lately: among those,
 * age should decide.
 */
const rankOf = (before: number): number => Math.floor(Math.log2(1 + before / 2));

interface Ranked<Request> {
  readonly request: Request;
  /** Grows with the number of tasks of the same account that go before it, or went before it lately. */
  readonly rank: number;
}

/**
 * A bounded queue that is fair between accounts: a task's rank grows with the number of its account's tasks that go or
 * went before it. The lowest rank goes first, and within a rank the oldest task.
 */
export class LaneQueue<Request extends Queued> {
  readonly #capacity: number;
  /** The oldest first. */
  #waiting: readonly Request[] = [];
  /** The accounts of the tasks that left last, the latest at the end. */
  readonly #recent: string[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** A copy with additional places, for a trial. */
  copy(places: number): LaneQueue<Request> {
    const copy = new LaneQueue<Request>(this.#capacity + places);
    copy.#waiting = this.#waiting;
    copy.#recent.push(...this.#recent);
    return copy;
  }

  /** True if the task waits here. */
  has(request: Request): boolean {
    return this.#waiting.includes(request);
  }

  get length(): number {
    return this.#waiting.length;
  }

  get isFull(): boolean {
    return this.#waiting.length >= this.#capacity;
  }

  /** Adds a task. Returns the task without room, because it would go last: the new one or another. */
  add(request: Request): Request | undefined {
    const older = this.#waiting.findLastIndex(({ acceptedAt }) => acceptedAt <= request.acceptedAt);
    this.#waiting = this.#waiting.toSpliced(older + 1, 0, request);
    if (this.#waiting.length <= this.#capacity) return undefined;
    const last = this.#ranked().reduce((a, b) => (b.rank >= a.rank ? b : a)).request;
    this.remove(last);
    return last;
  }

  /** Takes out the task that goes first. */
  next(): Request | undefined {
    if (this.#waiting.length === 0) return undefined;
    const first = this.#ranked().reduce((a, b) => (b.rank < a.rank ? b : a)).request;
    this.remove(first);
    this.#recent.push(first.account);
    if (this.#recent.length > RECENT) this.#recent.shift();
    return first;
  }

  /** Takes out a task that no longer has to wait. */
  remove(request: Request): void {
    this.#waiting = this.#waiting.filter((other) => other !== request);
  }

  #ranked(): Ranked<Request>[] {
    const tasksOf = new Map<string, number>();
    const count = (account: string): number => {
      const before = tasksOf.get(account) ?? 0;
      tasksOf.set(account, before + 1);
      return before;
    };
    for (const account of this.#recent) count(account);
    return this.#waiting.map((request) => ({ request, rank: rankOf(count(request.account)) }));
  }
}
