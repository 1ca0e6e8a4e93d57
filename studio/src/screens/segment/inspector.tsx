import { useComputed } from "@preact/signals";
import { Button, Icon } from "../../components/button.tsx";
import type { Given } from "../../work/picture.ts";
import { MaskOpacity, Slider } from "../../components/slider.tsx";
import { isConfident } from "../../work/instances.ts";
import { AskFor } from "./ask-for.tsx";
import { Choose } from "./choose.tsx";
import { Instances } from "./instances.tsx";
import type { Look } from "./look.ts";
import { ExportButton } from "./export-button.tsx";
import "./inspector.css";

interface InspectorProps {
  readonly look: Look;
  readonly onNew: () => void;
  /** Adds further pictures; null if there is already a job. */
  readonly onGiven: ((given: readonly Given[]) => void) | null;
}

/** Beside the picture: what is asked, and what was found. */
export function Inspector({ look, onNew, onGiven }: InspectorProps) {
  const { work } = look;
  const isImage = work.type.value === "image";
  return (
    <aside class="inspector" aria-label="Settings and results">
      <AskFor work={work} />
      <ExportButton look={look} />
      {isImage && !work.isOverview.value && look.instances.value.length > 0 && <ShowHow look={look} />}
      {isImage && !work.isOverview.value && <Instances look={look} />}
      <footer class="inspector-foot">
        {onGiven !== null && isImage && (
          <Choose look="quiet" many onFiles={onGiven}>
            <Icon name="plus" /> Add pictures
          </Choose>
        )}
        <Button look="quiet" onClick={onNew}>
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

/** How the masks are shown: from which confidence on, and how strongly. */
function ShowHow({ look }: { readonly look: Look }) {
  const least = useComputed(() => Math.max(look.least.value, look.lowest.value));
  const shown = useComputed(
    () => (look.searched.value ?? []).filter((instance) => isConfident(instance, look.filter.value)).length,
  );
  const searched = look.searched.value?.length ?? 0;
  return (
    <section class="show-how">
      {searched > 0 && (
        <Slider
          label="Min. confidence"
          valueText={`${Math.round(least.value * 100)}%, ${shown.value} of ${searched}`}
          value={least.value}
          min={look.lowest.value}
          onInput={(value) => (look.least.value = value)}
        />
      )}
      <MaskOpacity opacity={look.opacity} />
    </section>
  );
}
