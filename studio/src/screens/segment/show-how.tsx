import { useComputed } from "@preact/signals";
import { useId } from "preact/hooks";
import { isConfident } from "../../work/instances.ts";
import type { Look } from "./look.ts";

/** How the masks are shown: from which confidence on, and how strongly. */
export function ShowHow({ look }: { readonly look: Look }) {
  const id = useId();
  const least = useComputed(() => Math.max(look.least.value, look.lowest.value));
  const shown = useComputed(
    () => (look.searched.value ?? []).filter((instance) => isConfident(instance, look.filter.value)).length,
  );
  const searched = look.searched.value?.length ?? 0;
  return (
    <section class="show-how">
      {searched > 0 && (
        <div class="show-how-row">
          <label for={`${id}-least`}>Confidence from</label>
          <output for={`${id}-least`}>
            {Math.round(least.value * 100)} %, {shown.value} of {searched}
          </output>
          <input
            id={`${id}-least`}
            type="range"
            min={look.lowest.value}
            max={1}
            step={0.01}
            value={least.value}
            onInput={({ currentTarget }) => {
              look.least.value = currentTarget.valueAsNumber;
            }}
          />
        </div>
      )}
      <div class="show-how-row">
        <label for={`${id}-opacity`}>Masks</label>
        <output for={`${id}-opacity`}>{Math.round(look.opacity.value * 100)} %</output>
        <input
          id={`${id}-opacity`}
          type="range"
          min={0}
          max={1}
          step={0.01}
          value={look.opacity.value}
          onInput={({ currentTarget }) => {
            look.opacity.value = currentTarget.valueAsNumber;
          }}
        />
      </div>
    </section>
  );
}
