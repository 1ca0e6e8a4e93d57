import { useSignal } from "@preact/signals";
import { ErrorBoundary, lazy } from "preact-iso";
import { useEffect, useMemo } from "preact/hooks";
import type { CreateJobRequest, VideoResult } from "segmentation-client";
import { Button, Icon } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { MaskOpacity } from "../components/slider.tsx";
import { counted } from "../text/format.ts";
import { useLoaded } from "../state/requests.ts";
import { isVisitor } from "../state/session.ts";
import { reportsFrames } from "../viewer/clip/frames.ts";
import { USUAL_OPACITY } from "../viewer/colours.ts";
import { ClipStage, Transport } from "./player.tsx";
import { objectsOf } from "./objects.ts";
import { Playback } from "./playback.ts";
import { Tracks } from "./tracks.tsx";
import { useObjectUrl } from "../components/use-object-url.ts";

const ExportDialog = lazy(async () => (await import("../export/export-dialog.tsx")).ExportDialog);

/** What a clip's job has found. */
export interface FoundClip {
  readonly result: VideoResult;
  /** The same job once more. */
  readonly request: CreateJobRequest;
}

interface ClipResultProps extends FoundClip {
  readonly name: string;
  /** Where the clip's own file is; null if this browser doesn't have it. */
  readonly url: string | null;
  readonly onChoose: (file: File) => void;
  readonly onRunAgain: (request: CreateJobRequest) => void;
}

const KEYS: Readonly<Record<string, (playback: Playback) => void>> = {
  " ": (playback) => playback.toggle(),
  ArrowLeft: (playback) => playback.step(-1),
  ArrowRight: (playback) => playback.step(1),
  Home: (playback) => playback.seek(0),
  End: (playback) => playback.seek(playback.duration.value),
};

/** What was found in a clip: the player with the masks, and the objects over time. */
export function ClipResult({ result, request, name, url, onChoose, onRunAgain }: ClipResultProps) {
  const playback = useMemo(() => new Playback(), [result]);
  const hidden = useSignal<ReadonlySet<number>>(new Set());
  const isExporting = useSignal(false);
  const opacity = useSignal(USUAL_OPACITY);
  const highlighted = useSignal<number | null>(null);
  const hasPreview = request.generatePreview === true;
  const { value: preview } = useLoaded(
    async () => (url === null && hasPreview ? await result.preview() : null),
    [url, result],
  );
  const previewUrl = useObjectUrl(preview.value ?? null);
  // A preview has its masks in its pixels.
  const isBaked = url === null && previewUrl !== null;
  const objects = useMemo(() => objectsOf(result.tracks, request.prompts ?? []), [result]);
  useEffect(() => {
    playback.times.value = result.masksJson.frames.map(({ timeSec }) => timeSec);
  }, [playback]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, target } = event;
    const act = KEYS[key];
    // These have an answer of their own.
    const isTaken =
      target instanceof HTMLSelectElement || (target instanceof HTMLButtonElement && key === " ");
    if (act === undefined || isTaken) return;
    event.preventDefault();
    act(playback);
  };
  return (
    <section class="clip" aria-label="Clip">
      <header class="clip-head">
        <div>
          <h1>{name}</h1>
          <p>
            {counted(objects.length, "object")} in {counted(result.counts.framesProcessed, "processed frame")}
          </p>
        </div>
        <Button look="main" onClick={() => (isExporting.value = true)}>
          <Icon name="download" size={18} /> Export
        </Button>
      </header>
      {/* The viewer takes the focus and leaves these keys; the buttons do the same. */}
      <div class="clip-player" onKeyDown={onKeyDown}>
        <ClipStage
          label={name}
          url={url ?? previewUrl}
          hasMasks={isBaked}
          masksJson={result.masksJson}
          objects={objects}
          hidden={hidden.value}
          opacity={opacity}
          highlighted={highlighted}
          playback={playback}
        />
        {url === null && <Absent hasPreview={hasPreview} onChoose={onChoose} />}
        <Transport playback={playback}>{!isBaked && <MaskOpacity opacity={opacity} />}</Transport>
        {!reportsFrames() && playback.canPlay.value && (
          <Notice title="While the clip plays, masks may be off by a frame">
            This browser does not report which frame it shows. Masks are exact while the clip is paused.
          </Notice>
        )}
        {objects.length === 0 ? (
          <p class="clip-none">
            Nothing was found in the clip. Try different prompts or more frames per second.
          </p>
        ) : (
          <Tracks
            objects={objects}
            tracks={result.tracks}
            hidden={hidden}
            highlighted={highlighted}
            isBaked={isBaked}
            playback={playback}
          />
        )}
      </div>
      {isExporting.value && (
        <ErrorBoundary>
          <ExportDialog
            jobId={result.jobId}
            order={{
              request,
              sources: new Map([[result.taskId, name]]),
              isComplete: true,
            }}
            units={result.masksJson.frames.length}
            pictures={[]}
            onRunAgain={onRunAgain}
            onClose={() => (isExporting.value = false)}
          />
        </ErrorBoundary>
      )}
    </section>
  );
}

interface AbsentProps {
  readonly hasPreview: boolean;
  readonly onChoose: (file: File) => void;
}

/** What to do about a clip that this browser doesn't have. */
function Absent({ hasPreview, onChoose }: AbsentProps) {
  return (
    <p class="clip-absent">
      {hasPreview
        ? "This is the job’s preview, with all masks drawn on it."
        : "The clip is not in this browser, so only its masks are shown."}{" "}
      {!isVisitor.value && (
        <>
          <label>
            Choose the file
            <input
              type="file"
              accept="video/*"
              onChange={({ currentTarget }) => {
                const [file] = currentTarget.files ?? [];
                if (file !== undefined) onChoose(file);
              }}
            />
          </label>{" "}
          to see the masks on it.
        </>
      )}
    </p>
  );
}
