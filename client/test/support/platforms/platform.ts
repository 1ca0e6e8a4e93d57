import type { WalkOptions, WalkReport } from "../../walk/walk.ts";

/** Runs the walk somewhere; null if this machine lacks the platform. */
export type Platform = (options: WalkOptions) => Promise<WalkReport[] | null>;
