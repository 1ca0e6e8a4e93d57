import { useEffect, useMemo } from "preact/hooks";
import type { Given } from "../../../workspace/rules/inspect-file.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import { Batch } from "../batch/batch.tsx";
import { Inspector } from "../inspector/inspector.tsx";
import { ViewState } from "../state/view-state.ts";
import { Review } from "../batch/review.tsx";
import { Stage } from "../stage/stage.tsx";
import { Strip } from "../batch/strip.tsx";

interface WorkbenchPanelsProps {
  readonly workspace: Workspace;
  readonly onNew: (given: readonly Given[]) => void;
  /** Adds further pictures; null if there is already a job. */
  readonly onGiven: ((given: readonly Given[]) => void) | null;
}

/** Panels of a workbench with pictures or a video: stage, strip, review and inspector. */
export function WorkbenchPanels({ workspace, onNew, onGiven }: WorkbenchPanelsProps) {
  const viewState = useMemo(() => new ViewState(workspace), [workspace]);
  useEffect(() => viewState.attach(), [viewState]);
  const isOneOfMany =
    workspace.type.value === "image" && workspace.pictures.value.length > 1 && !workspace.isOverview.value;
  return (
    <>
      {workspace.isOverview.value ? <Batch viewState={viewState} /> : <Stage viewState={viewState} />}
      {isOneOfMany && workspace.found.value !== null && <Review viewState={viewState} />}
      {isOneOfMany && <Strip viewState={viewState} onGiven={onGiven} />}
      <Inspector viewState={viewState} onNew={onNew} onGiven={onGiven} />
    </>
  );
}
