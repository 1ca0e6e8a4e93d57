import { useComputed } from "@preact/signals";
import { MaskOpacity, Slider } from "../../components/slider.tsx";
import { isConfident } from "../../work/instances.ts";
import type { Look } from "./look.ts";

/** How the masks are shown: from which confidence on, and how strongly. */
export function ShowHow({ look }: { readonly look: Look }) {
  const least = useComputed(() => Math.max(look.least.value, look.lowest.value));
  const shown = useComputed(
    () => (look.searched.value ?? []).filter((instance) => isConfident(instance, look.filter.value)).length,
  );
  const searched = look.searched.value?.length ?? 0;
  return (
    <section class="show-how">
      {searched > 0 && (
        <Slider
          label="Minimum confidence"
          told={`${Math.round(least.value * 100)}%, ${shown.value} of ${searched}`}
          value={least.value}
          min={look.lowest.value}
          onInput={(value) => {
            look.least.value = value;
          }}
        />
      )}
      <MaskOpacity opacity={look.opacity} />
    </section>
  );
}
