import { useComputed } from "@preact/signals";
import { ZOOM_STEP } from "../input/commands.ts";
import type { Stage } from "./stage.ts";

/** Buttons for those who have neither wheel nor two fingers, and the zoom in percent. */
export function ZoomControls({ stage }: { readonly stage: Stage }) {
  const percent = useComputed(() => `${Math.round(stage.view.value.scale * 100)}%`);
  return (
    <div class="viewer-zoom" role="group" aria-label="Zoom">
      <button type="button" aria-label="Zoom out" onClick={() => stage.zoom(1 / ZOOM_STEP)}>
        −
      </button>
      <button type="button" aria-label="Fit to frame" title="Fit (0)" onClick={() => stage.fit()}>
        {percent}
      </button>
      <button type="button" aria-label="Zoom in" onClick={() => stage.zoom(ZOOM_STEP)}>
        +
      </button>
    </div>
  );
}
