import { signal } from "@preact/signals";
import { Button } from "../components/controls/button.tsx";
import { Dialog } from "../components/dialogs/dialog.tsx";
import { Loading } from "../components/layout/notice.tsx";
import { useLoaded } from "../state/requests.ts";
import { objectColour, USUAL_OPACITY } from "../viewer/colours.ts";
import { PictureViewer } from "../viewer/picture-viewer.tsx";
import { type Instance, nameOf } from "../workspace/rules/instances.ts";
import type { Owner } from "../workspace/service/owner.ts";
import type { FrameQuestion } from "./frame-question.ts";
import { tryFrame } from "./frame-trial.ts";
import type { Playback } from "./playback.ts";
import "./frame-trial.css";

interface FrameTrialDialogProps extends FrameQuestion {
  readonly owner: Owner;
  readonly playback: Playback;
  readonly onClose: () => void;
}

const opacity = signal(USUAL_OPACITY);
const highlighted = signal<string | null>(null);

/** Shows the objects in the video's frame on the screen, before the video is paid for. */
export function FrameTrialDialog({ owner, playback, prompts, regions, onClose }: FrameTrialDialogProps) {
  const loaded = useLoaded(async (aborted) => {
    const frame = await playback.frame();
    if (frame === null) throw new Error("The frame is not on the screen yet. Try again.");
    const [bitmap, instances] = await Promise.all([
      createImageBitmap(frame),
      tryFrame(owner, frame, { prompts, regions }, aborted),
    ]);
    return { bitmap, instances };
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
              layers={found.instances.map((instance, i) => ({
                id: instance.id,
                mask: instance.png,
                colour: objectColour(i),
                visible: true,
                label: nameOf(instance),
              }))}
              opacity={opacity}
              highlighted={highlighted}
              tool="pan"
            />
          </div>
          <p class="dialog-text" role="status">
            {inWords(found.instances)}
          </p>
        </>
      )}
    </Dialog>
  );
}

const inWords = (instances: readonly Instance[]): string =>
  instances.length === 0
    ? "Nothing was found in this frame."
    : `Found: ${instances.map((each) => `${nameOf(each)}, ${Math.round(each.confidence * 100)}%`).join("; ")}. “Segment” tracks what is found through the clip.`;
