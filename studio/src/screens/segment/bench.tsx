import { useEffect, useMemo } from "preact/hooks";
import type { Given } from "../../work/picture.ts";
import type { Work } from "../../work/work.ts";
import { Batch } from "./batch.tsx";
import { Inspector } from "./inspector.tsx";
import { Look } from "./look.ts";
import { Review } from "./review.tsx";
import { Stage } from "./stage.tsx";
import { Strip } from "./strip.tsx";

interface BenchProps {
  readonly work: Work;
  readonly onNew: () => void;
  /** Adds further pictures; null if there is already a job. */
  readonly onGiven: ((given: readonly Given[]) => void) | null;
}

/** The pictures or the clip of a work, what is asked of them, and what was found in them. */
export function Bench({ work, onNew, onGiven }: BenchProps) {
  const look = useMemo(() => new Look(work), [work]);
  useEffect(() => look.attach(), [look]);
  const isOneOfMany = work.type.value === "image" && work.pictures.value.length > 1 && !work.isOverview.value;
  return (
    <>
      {work.isOverview.value ? <Batch look={look} /> : <Stage look={look} />}
      {isOneOfMany && work.found.value !== null && <Review look={look} />}
      {isOneOfMany && <Strip look={look} onGiven={onGiven} />}
      <Inspector look={look} onNew={onNew} onGiven={onGiven} />
    </>
  );
}
