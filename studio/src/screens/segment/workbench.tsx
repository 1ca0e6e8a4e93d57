import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Problem } from "../../components/problem.tsx";
import type { Given } from "../../work/intake.ts";
import type { Work } from "../../work/work.ts";
import { Batch } from "./batch.tsx";
import { DropTarget } from "./drop-target.tsx";
import { Empty } from "./empty.tsx";
import { Inspector } from "./inspector.tsx";
import { Look } from "./look.ts";
import { Stage } from "./stage.tsx";
import { Strip } from "./strip.tsx";
import "./workbench.css";

export interface WorkbenchProps {
  readonly work: Work;
  /** Begins a work of its own, with what was given for it. */
  readonly onNew: (given: readonly Given[]) => void;
}

/** The picture, what is asked of it, and what was found in it. */
export function Workbench({ work, onNew }: WorkbenchProps) {
  const look = useMemo(() => new Look(work), [work]);
  const isOver = useSignal(false);
  const canAdd = useComputed(() => work.jobIds.value.length === 0 && work.going.value.at === "idle");
  const add = (given: readonly Given[]): void => work.add(given);
  const isEmpty = work.pictures.value.length === 0 && !work.opening.value && work.problem.value === null;
  const isLost = work.pictures.value.length === 0 && work.problem.value?.of === "opening";
  const jobId = useComputed(() => work.job.value?.jobId);
  useSignalEffect(() => {
    // A new job of several pictures is looked at as a whole.
    if (jobId.value !== undefined && work.pictures.peek().length > 1) look.isOverview.value = true;
  });
  const isBatch = work.type.value === "image" && work.pictures.value.length > 1;
  return (
    <DropTarget onGiven={canAdd.value ? add : work.going.value.at === "idle" ? onNew : null} isOver={isOver}>
      <div class="workbench" data-over={isOver.value} data-type={work.type.value}>
        <h1 class="unseen">Segment</h1>
        {isLost ? (
          <section class="empty" aria-label="Job">
            <div class="empty-middle">
              <Problem error={work.problem.value?.error} onRetry={() => location.reload()} />
              <p>
                <a href="/studio/jobs">All jobs</a>, or <a href="/studio">start a new one</a>.
              </p>
            </div>
          </section>
        ) : isEmpty ? (
          <Empty work={work} onGiven={add} />
        ) : (
          <>
            {isBatch && look.isOverview.value ? (
              <Batch work={work} look={look} />
            ) : (
              <Stage work={work} look={look} />
            )}
            {isBatch && !look.isOverview.value && (
              <Strip work={work} look={look} onGiven={canAdd.value ? add : null} />
            )}
            <Inspector work={work} look={look} onNew={() => onNew([])} onGiven={canAdd.value ? add : null} />
          </>
        )}
      </div>
    </DropTarget>
  );
}
