import { Button, Icon } from "../../../components/controls/button.tsx";
import type { Given } from "../../../workspace/rules/inspect-file.ts";
import { counted } from "../../../text/format.ts";
import { givenOf } from "../../../workspace/rules/picture.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import { AskFor } from "../prompt/job-form.tsx";
import { Choose } from "../add-files/choose.tsx";
import type { ViewState } from "../state/view-state.ts";
import { Classes } from "./classes.tsx";
import { Instances } from "./instances.tsx";
import { ExportButton } from "./export-button.tsx";
import { ShareButton } from "./share-button.tsx";
import { ShowHow } from "./show-how.tsx";
import { Searches } from "./searches.tsx";
import "./inspector.css";

interface InspectorProps {
  readonly viewState: ViewState;
  /** Begins a new workspace with the given files. */
  readonly onNew: (given: readonly Given[]) => void;
  /** Adds further pictures; null if there is already a job. */
  readonly onGiven: ((given: readonly Given[]) => void) | null;
}

/** Begins a new workspace with the pictures that were left for later. */
function goOn({ later }: Workspace, onNew: InspectorProps["onNew"]): void {
  const given = later.value.flatMap(givenOf);
  later.value = [];
  onNew(given);
}

/** The panel next to the picture: prompts and found objects. */
export function Inspector({ viewState, onNew, onGiven }: InspectorProps) {
  const { workspace } = viewState;
  const isImage = workspace.type.value === "image";
  const hasMasks = workspace.isOverview.value
    ? workspace.found.value !== null
    : viewState.instances.value.length > 0;
  return (
    <aside class="inspector" aria-label="Settings and results">
      <AskFor workspace={workspace} />
      {isImage && !workspace.isOverview.value && workspace.jobIds.value.length > 0 && (
        <Classes viewState={viewState} />
      )}
      {isImage && !workspace.isOverview.value && <Instances viewState={viewState} />}
      {isImage && hasMasks && <ShowHow viewState={viewState} />}
      <Searches viewState={viewState} />
      <div class="inspector-act">
        <ExportButton viewState={viewState} />
        <ShareButton viewState={viewState} />
      </div>
      {workspace.later.value.length > 0 && workspace.jobIds.value.length > 0 && (
        <section>
          <Button variant="main" onClick={() => goOn(workspace, onNew)}>
            Continue with the other{" "}
            {workspace.later.value.length === 1
              ? "picture"
              : counted(workspace.later.value.length, "picture")}
          </Button>
        </section>
      )}
      <footer class="inspector-foot">
        {onGiven !== null && isImage && (
          <Choose variant="quiet" many onFiles={onGiven}>
            <Icon name="plus" /> Add pictures
          </Choose>
        )}
        <Button variant="quiet" onClick={() => onNew([])}>
          {onGiven !== null && isImage ? (
            "Start over"
          ) : (
            <>
              <Icon name="plus" /> New pictures or video
            </>
          )}
        </Button>
      </footer>
    </aside>
  );
}
