/** Chooses the engine for a task. */
import type { Engine } from "./engine.ts";
import type { EngineTask } from "../messages.ts";

/** An engine and its device. */
export interface Member {
  readonly device: string;
  readonly engine: Engine;
  /** The time when it last began or ended a task, in milliseconds. */
  usedAt: number;
}

/**
 * Of the engines with room, the engine with the fewest tasks, then the one with the picture's features, then the
 * longest idle; undefined if none has room.
 * @param alone true if the task must be alone in its engine
 * @param knows the engine that may still have the picture's features
 */
export function bestFor(
  members: readonly Member[],
  type: EngineTask["type"],
  alone: boolean,
  knows: Member | undefined,
): Member | undefined {
  const [best] = members
    .filter(({ engine }) => engine.takes(type, alone))
    .toSorted(
      (a, b) =>
        a.engine.load - b.engine.load || Number(b === knows) - Number(a === knows) || a.usedAt - b.usedAt,
    );
  return best;
}

/**
 * The engine that should take no more tasks, so that a task can be alone in it. Never an engine with a video, which
 * would keep it for hours.
 */
export function soonestEmpty(members: readonly Member[]): Member | undefined {
  const [soonest] = members
    .filter(({ engine }) => engine.model !== undefined && !engine.hasClip)
    .toSorted(({ engine: a }, { engine: b }) => Number(b.hasLoner) - Number(a.hasLoner) || a.load - b.load);
  return soonest;
}
