import { signal } from "@preact/signals";
import { Button } from "../components/controls/button.tsx";
import { Dialog } from "../components/dialogs/dialog.tsx";
import { Loading } from "../components/layout/notice.tsx";
import { useLoaded } from "../state/requests.ts";
import { USUAL_OPACITY } from "../viewer/colours.ts";
import { PictureViewer } from "../viewer/picture-viewer.tsx";
import type { Owner } from "../workspace/service/owner.ts";
import { type FrameQuestion, shownAs } from "./frame-question.ts";
import { tryFrame } from "./frame-trial.ts";
import type { ClipObject } from "./objects.ts";
import type { Playback } from "./playback.ts";
import "./frame-trial.css";

interface FrameTrialDialogProps extends FrameQuestion {
  readonly owner: Owner;
  readonly playback: Playback;
  /** The list of the video's objects. */
  readonly objects: readonly ClipObject[];
  readonly onClose: () => void;
}

const opacity = signal(USUAL_OPACITY);
const highlighted = signal<string | null>(null);

/** Shows the objects in the video's frame on the screen, before the video is paid for. */
export function FrameTrialDialog({ owner, playback, objects, onClose, ...question }: FrameTrialDialogProps) {
  const loaded = useLoaded(async (aborted) => {
    const frame = await playback.frame();
    if (frame === null) throw new Error("The frame is not on the screen yet. Try again.");
    const [bitmap, instances] = await Promise.all([
      createImageBitmap(frame),
      tryFrame(owner, frame, question, aborted),
    ]);
    const shown = instances.map((instance) => {
      const { id, png, confidence } = instance;
      const { label, colour } = shownAs(instance, question, objects);
      return { id, mask: png, visible: true, confidence, label, colour };
    });
    return { bitmap, shown };
  });
  const { value: found } = loaded.value;
  return (
    <Dialog title="This frame" onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
      {found === undefined ? (
        <Loading of={loaded} what="Segmenting the frame" />
      ) : (
        <>
          <div class="frame-trial">
            <PictureViewer
              label="The frame with what was found"
              picture={found.bitmap}
              size={found.bitmap}
              layers={found.shown}
              opacity={opacity}
              highlighted={highlighted}
              tool="pan"
            />
          </div>
          <p class="dialog-text" role="status">
            {inWords(found.shown)}
          </p>
        </>
      )}
    </Dialog>
  );
}

const inWords = (found: readonly { readonly label: string; readonly confidence: number }[]): string =>
  found.length === 0
    ? "Nothing was found in this frame."
    : `Found: ${found.map(({ label, confidence }) => `${label}, ${Math.round(confidence * 100)}%`).join("; ")}. “Segment” tracks what is found through the video.`;
