import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import type { Given } from "../../work/intake.ts";
import type { Work } from "../../work/work.ts";
import { AskFor } from "./ask-for.tsx";
import { Choose } from "./choose.tsx";
import { Instances } from "./instances.tsx";
import type { Look } from "./look.ts";
import { ExportButton } from "./export-button.tsx";
import { ShowHow } from "./show-how.tsx";
import "./inspector.css";

export interface InspectorProps {
  readonly work: Work;
  readonly look: Look;
  readonly onNew: () => void;
  /** Takes further pictures; null if there is a job already. */
  readonly onGiven: ((given: readonly Given[]) => void) | null;
}

/** Beside the picture: what is asked, and what was found. */
export function Inspector({ work, look, onNew, onGiven }: InspectorProps) {
  const isImage = work.type.value === "image";
  return (
    <aside class="inspector" aria-label="Settings and results">
      <AskFor work={work} />
      <ExportButton work={work} look={look} />
      {isImage && !look.isOverview.value && look.instances.value.length > 0 && <ShowHow look={look} />}
      {isImage && !look.isOverview.value && <Instances work={work} look={look} />}
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
