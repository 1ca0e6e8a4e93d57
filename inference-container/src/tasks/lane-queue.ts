import type { WaitingTask } from "@segmentation/protocol";

/** What decides the order of waiting tasks. */
export type Queued = Readonly<WaitingTask>;

/** How many of the tasks that left a line are remembered with their accounts. */
const RECENT = 48;

/**
 * The rank of a task that has `before` tasks of its own account before it: 0 for up to 1, 1 for up to 5, 2 for up to 13,
 * and so on. The steps are wide because chance decides which of equally busy accounts had more places lately: among
 * those, age should decide.
 */
const rankOf = (before: number): number => Math.floor(Math.log2(1 + before / 2));

interface Ranked<Request> {
  readonly request: Request;
  /** Grows with the number of tasks of the same account that go before it, or went before it lately. */
  readonly rank: number;
}

/**
 * A bounded queue that is fair between accounts: the fewer tasks of its own account go or went before it, the lower a
 * task's rank. The lowest rank goes first, and within a rank the oldest task.
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

  /** A copy, to try what would happen, with so many more places. */
  copy(places: number): LaneQueue<Request> {
    const copy = new LaneQueue<Request>(this.#capacity + places);
    copy.#waiting = this.#waiting;
    copy.#recent.push(...this.#recent);
    return copy;
  }

  /** Whether a task waits here. */
  has(request: Request): boolean {
    return this.#waiting.includes(request);
  }

  get length(): number {
    return this.#waiting.length;
  }

  get isFull(): boolean {
    return this.#waiting.length >= this.#capacity;
  }

  /** Lets a task wait. Returns the one for which there is no room then, because it would go last: the new one or another. */
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
