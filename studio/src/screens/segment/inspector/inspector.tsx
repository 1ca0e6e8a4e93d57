import { useComputed } from "@preact/signals";
import { Button, Icon } from "../../../components/controls/button.tsx";
import type { Given } from "../../../workspace/rules/inspect-file.ts";
import { isConfident } from "../../../workspace/rules/instances.ts";
import { MaskOpacity, Slider } from "../../../components/controls/slider.tsx";
import { AskFor } from "../prompt/job-form.tsx";
import { Choose } from "../add-files/choose.tsx";
import type { ViewState } from "../state/view-state.ts";
import { Instances } from "./instances.tsx";
import { ExportButton } from "./export-button.tsx";
import { ShareButton } from "./share-button.tsx";
import { Searches } from "./searches.tsx";
import "./inspector.css";

interface InspectorProps {
  readonly viewState: ViewState;
  readonly onNew: () => void;
  /** Adds further pictures; null if there is already a job. */
  readonly onGiven: ((given: readonly Given[]) => void) | null;
}

/** Beside the picture: what is asked, and what was found. */
export function Inspector({ viewState, onNew, onGiven }: InspectorProps) {
  const { workspace } = viewState;
  const isImage = workspace.type.value === "image";
  const hasMasks = workspace.isOverview.value
    ? workspace.found.value !== null
    : viewState.instances.value.length > 0;
  return (
    <aside class="inspector" aria-label="Settings and results">
      <AskFor workspace={workspace} />
      <Searches viewState={viewState} />
      <ExportButton viewState={viewState} />
      <ShareButton viewState={viewState} />
      {isImage && hasMasks && <ShowHow viewState={viewState} />}
      {isImage && !workspace.isOverview.value && <Instances viewState={viewState} />}
      <footer class="inspector-foot">
        {onGiven !== null && isImage && (
          <Choose variant="quiet" many onFiles={onGiven}>
            <Icon name="plus" /> Add pictures
          </Choose>
        )}
        <Button variant="quiet" onClick={onNew}>
          {onGiven !== null && isImage ? (
            "Start over"
          ) : (
            <>
              <Icon name="plus" /> New pictures or clip
            </>
          )}
        </Button>
      </footer>
    </aside>
  );
}

/** Controls of the masks: minimum confidence, opacity and colors. */
export function ShowHow({ viewState }: { readonly viewState: ViewState }) {
  const { workspace } = viewState;
  const least = useComputed(() => Math.max(viewState.least.value, viewState.lowest.value));
  const isShown = useComputed(() =>
    workspace.isOverview.value
      ? [...(workspace.found.value?.confidences.values() ?? [])].flat().map((each) => each >= least.value)
      : (viewState.searched.value ?? []).map((instance) => isConfident(instance, viewState.filter.value)),
  );
  const shown = isShown.value.filter(Boolean).length;
  return (
    <section class="show-how">
      {isShown.value.length > 0 && (
        <Slider
          label="Min. confidence"
          valueText={`${Math.round(least.value * 100)}%, ${shown} of ${isShown.value.length}`}
          value={least.value}
          min={viewState.lowest.value}
          onInput={(value) => (viewState.least.value = value)}
        />
      )}
      {!workspace.isOverview.value && <MaskOpacity opacity={viewState.opacity} />}
      {(workspace.isOverview.value || viewState.instances.value.length > 1) && (
        <label class="check">
          <input
            type="checkbox"
            checked={viewState.isByObject.value}
            onChange={({ currentTarget }) =>
              (viewState.colouring.value = currentTarget.checked ? "object" : "label")
            }
          />
          A colour for each object
        </label>
      )}
    </section>
  );
}
