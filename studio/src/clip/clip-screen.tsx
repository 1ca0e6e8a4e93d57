import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo } from "preact/hooks";
import { type CreateJobRequest, type JobStatus, type MasksJson, VideoResult } from "segmentation-client";
import { Button, Icon } from "../components/controls/button.tsx";
import { lazyDialog } from "../components/lazy/lazy-part.tsx";
import { Loading, Notice } from "../components/layout/notice.tsx";
import { MaskOpacity } from "../components/controls/slider.tsx";
import { useObjectUrl } from "../components/hooks/use-object-url.ts";
import { useLoaded } from "../state/requests.ts";
import { api, client, isVisitor } from "../state/session.ts";
import { counted } from "../text/format.ts";
import { isCanceled, sentenceOf } from "../text/task-problems.ts";
import { reportsFrames } from "../viewer/clip/frames.ts";
import { USUAL_OPACITY } from "../viewer/colours.ts";
import type { Size } from "../viewer/types.ts";
import { type ClipRegion, regionsOfTracks, regionsOn } from "../workspace/rules/clip-regions.ts";
import { model } from "../workspace/service/model.ts";
import { reopen } from "../workspace/jobs/open-job.ts";
import type { Picture } from "../workspace/rules/picture.ts";
import { segment } from "../workspace/jobs/run.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { ClipPointing } from "./clip-pointing.ts";
import { ClipTools } from "./clip-tools.tsx";
import { nameableIn, objectsOf } from "./objects.ts";
import { Playback } from "./playback.ts";
import { ClipStage, Transport } from "./player.tsx";
import { clock, timesAt } from "./time.ts";
import { Tracks } from "./tracks.tsx";
import "./clip.css";

const FrameTrialDialog = lazyDialog(async () => (await import("./frame-trial-dialog.tsx")).FrameTrialDialog);
const ExportDialog = lazyDialog(async () => (await import("../export/export-dialog.tsx")).ExportDialog);

interface ClipScreenProps {
  readonly workspace: Workspace;
  readonly picture: Picture;
}

const KEYS: Readonly<Record<string, (playback: Playback) => void>> = {
  " ": (playback) => playback.toggle(),
  ArrowLeft: (playback) => playback.step(-1),
  ArrowRight: (playback) => playback.step(1),
  ",": (playback) => playback.step(-1),
  ".": (playback) => playback.step(1),
  Home: (playback) => playback.seek(0),
  End: (playback) => playback.seek(playback.duration.value),
};

/**
 * A video in one layout: the player with marks and masks, and its objects over time.
 */
export default function ClipScreen({ workspace, picture }: ClipScreenProps) {
  const job = workspace.job.value;
  const playback = useMemo(() => new Playback(), [workspace]);
  const pointing = useMemo(() => new ClipPointing(workspace, playback), [playback]);
  const hidden = useSignal<ReadonlySet<number>>(new Set());
  const isExporting = useSignal(false);
  const isTrying = useSignal(false);
  const opacity = useSignal(USUAL_OPACITY);
  const highlighted = useSignal<number | null>(null);
  const loaded = useLoaded(
    async (signal) => (job?.status === "success" ? await fetchFound(job.jobId, signal) : undefined),
    [job?.jobId, job?.status],
  );
  const found = loaded.value.value?.result.jobId === job?.jobId ? loaded.value.value : undefined;
  const result = found?.result ?? null;
  // Of the next job the request may be there before the job.
  const isAsked = job !== null && workspace.asked.value?.jobId === job.jobId;
  const request = (isAsked ? workspace.request.value : null) ?? found?.request ?? null;
  const fileUrl = useObjectUrl(picture.file);
  const url = playback.isUnplayable.value ? null : fileUrl;
  const { value: preview } = useLoaded(
    async () => (picture.file === null && request?.generatePreview ? await result?.preview() : null),
    [picture.file, result],
  );
  const previewUrl = useObjectUrl(preview.value ?? null);
  // A preview has its masks in its pixels.
  const isBurnedIn = url === null && previewUrl !== null;
  const objects = useMemo(
    () => objectsOf(result?.tracks ?? [], request?.prompts ?? [], workspace.regions.value),
    [result, workspace.regions.value],
  );
  const size = playback.size.value;
  const masksJson = useMemo(() => result?.masksJson ?? noMasks(size), [result, size]);
  const { box = true, points = true, clips = true } = model.value?.regions ?? {};
  const canPoint = !isVisitor.value && url !== null && size !== null && clips && (box || points);

  useLayoutEffect(() => {
    if (found !== undefined) workspace.askedFor(found.request, found.regions);
    pointing.choose(found === undefined && canPoint ? "point" : "pan");
  }, [found, canPoint]);
  useSignalEffect(() => {
    const seconds = playback.length.value - playback.begin.value;
    if (seconds > 0) workspace.seconds.value = seconds;
  });
  useEffect(() => {
    const { value: seconds } = playback.length;
    playback.times.value =
      result?.masksJson.frames.map(({ timeSec }) => timeSec) ??
      (seconds > 0 ? timesAt(workspace.fps.value, seconds, playback.begin.value) : []);
  }, [result, playback.length.value, playback.begin.value, workspace.fps.value]);
  useSignalEffect(() => {
    // People point at a frame that will be processed.
    if (!playback.isPlaying.value && pointing.tool.value !== "pan") playback.settle();
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, target } = event;
    const act = KEYS[key];
    // These are handled separately.
    const isTaken =
      event.defaultPrevented ||
      target instanceof HTMLSelectElement ||
      (target instanceof HTMLButtonElement && key === " ");
    if (act === undefined || isTaken || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act(playback);
  };
  const name = picture.name || "Video";
  return (
    <section class="clip" aria-label="Video">
      <header class="clip-head">
        <div>
          <h1>{name}</h1>
          <p>
            {result !== null
              ? `${counted(objects.length, "object")} in ${counted(result.counts.framesProcessed, "processed frame")}`
              : size !== null && `${clock(playback.length.value)}, ${size.width} × ${size.height} pixels`}
          </p>
        </div>
        {canPoint && workspace.going.value.at === "idle" && (
          <Button
            disabled={workspace.prompts.value.length === 0 && pointing.here.value.length === 0}
            onClick={() => {
              playback.settle();
              isTrying.value = true;
            }}
          >
            Try this frame, 1 unit
          </Button>
        )}
        {result !== null && (
          <Button
            variant={workspace.isAnswered.value ? "main" : "plain"}
            onClick={() => (isExporting.value = true)}
          >
            <Icon name="download" size={18} /> Export
          </Button>
        )}
      </header>
      {job?.status === "success" && result === null && <Loading of={loaded} what="Loading masks" />}
      {job?.status === "failed" && <Failed job={job} />}
      {/* The viewer takes the focus and leaves these keys; the buttons do the same. */}
      <div class="clip-player" onKeyDown={onKeyDown}>
        {canPoint && (
          <ClipTools pointing={pointing} target={objects.find(({ id }) => id === pointing.target.value)} />
        )}
        <ClipStage
          label={name}
          url={url ?? previewUrl}
          hasMasks={isBurnedIn}
          masksJson={masksJson}
          objects={objects}
          hidden={hidden.value}
          opacity={opacity}
          highlighted={highlighted}
          playback={playback}
          tool={canPoint ? pointing.tool.value : "pan"}
          pendingRegions={pointing.pendingRegions.value}
          onRegion={(region, isFurther) => void pointing.point(region, isFurther, result?.masksJson ?? null)}
        />
        {playback.isUnplayable.value && (
          <Notice title="This browser can’t play the video">
            {result === null
              ? "The service may still read it: name what to find."
              : "Its masks are shown alone."}
          </Notice>
        )}
        {picture.file === null && (
          <Absent
            workspace={workspace}
            picture={picture}
            has={isBurnedIn ? "preview" : result === null ? "nothing" : "masks"}
          />
        )}
        <Transport playback={playback} isGuess={result === null}>
          {result !== null && !isBurnedIn && <MaskOpacity opacity={opacity} />}
        </Transport>
        {result !== null && !reportsFrames() && playback.canPlay.value && (
          <Notice title="While the video plays, masks may be off by a frame">
            This browser does not report which frame it shows. Masks are exact while the video is paused.
          </Notice>
        )}
        <Tracks
          objects={objects}
          hidden={hidden}
          highlighted={highlighted}
          isBurnedIn={isBurnedIn}
          isFollowed={result !== null}
          playback={playback}
          pointing={canPoint ? pointing : null}
        />
        {objects.length === 0 && (
          <p class="clip-none">
            {result === null
              ? "What you point at, and what your prompts find, appears here."
              : "Nothing was found in the video. Try different prompts or more frames per second, or point at it."}
          </p>
        )}
      </div>
      {isTrying.value && (
        <FrameTrialDialog
          owner={workspace.owner}
          playback={playback}
          objects={objects}
          prompts={workspace.prompts.value}
          regions={pointing.here.value}
          onClose={() => (isTrying.value = false)}
        />
      )}
      {isExporting.value && result !== null && request !== null && (
        <ExportDialog
          jobId={result.jobId}
          isOneJob
          exportedJob={{ request, sources: new Map([[result.taskId, name]]), isComplete: true }}
          units={result.masksJson.frames.length}
          pictures={[]}
          clip={{
            taskId: result.taskId,
            name,
            masks: nameableIn(objects),
            nameObjects: (named, label) => named.forEach((id) => pointing.rename(Number(id), label)),
          }}
          prompts={[]}
          classes={[]}
          onExported={() => undefined}
          onRunAgain={(again) => void segment(workspace, again)}
          onClose={() => (isExporting.value = false)}
        />
      )}
    </section>
  );
}

const UNKNOWN: Size = { width: 16, height: 9 };

/** Replaces the masks of a video without a result. */
const noMasks = (size: Size | null): MasksJson => ({ version: 1, fps: 1, ...(size ?? UNKNOWN), frames: [] });

const Failed = ({ job }: { readonly job: JobStatus }) => {
  const problem = job.tasks[0]?.error ?? job.error ?? "";
  return isCanceled(problem) ? (
    <Notice title="Canceled">You can segment the video again whenever you like.</Notice>
  ) : (
    <Notice tone="danger" title="The video could not be segmented">
      {sentenceOf(problem)}
    </Notice>
  );
};

interface AbsentProps extends ClipScreenProps {
  /** Contents shown instead of the video. */
  readonly has: "preview" | "masks" | "nothing";
}

/** Explains that this browser doesn't have the video, and asks for the file. */
const Absent = ({ workspace, picture, has }: AbsentProps) => (
  <p class="clip-absent">
    {has === "preview"
      ? "This is the job’s preview, with all masks drawn on it."
      : has === "masks"
        ? "The video is not in this browser, so only its masks are shown."
        : picture.address === null
          ? "The video is not in this browser."
          : `The service fetches it from ${picture.address.host}. It is not shown here.`}{" "}
    {!isVisitor.value && (
      <>
        <label>
          Choose the file
          <input
            type="file"
            accept="video/*"
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              if (file !== undefined) void reopen(workspace, picture, file);
            }}
          />
        </label>{" "}
        to see {has === "nothing" ? "it, and to point at what is in it" : "the masks on it"}.
      </>
    )}
  </p>
);

type VideoRequest = Extract<CreateJobRequest, { readonly type: "video" }>;

/** Results of a video's job. */
interface FoundClip {
  readonly result: VideoResult;
  /** The same job once more. */
  readonly request: VideoRequest;
  readonly regions: readonly ClipRegion[];
}

/** Fetches the results of a video's job. @throws SegmentationError */
async function fetchFound(jobId: string, signal: AbortSignal): Promise<FoundClip> {
  const [result, { manifest, assets }] = await Promise.all([
    client.value.result(jobId, { signal }),
    api.value.retrieveJobResult({ jobId }, { signal }),
  ]);
  const [item] = manifest.type === "video" ? manifest.items : [];
  if (!(result instanceof VideoResult) || item === undefined) throw new TypeError("This is not a video job.");
  const { fps, numFrames, maxFrames, scoreThreshold } = item;
  const has = (folder: string): boolean => assets.some(({ key }) => key.startsWith(folder));
  const regions = regionsOfTracks(result.tracks);
  const request: VideoRequest = {
    type: "video",
    ...((manifest.prompts.length > 0 || regions.length === 0) && { prompts: [...manifest.prompts] }),
    tasks: [result.taskId],
    ...(regions.length > 0 && { regions: regionsOn(result.taskId, regions) }),
    ...(fps !== undefined && { fps }),
    ...(numFrames !== undefined && { numFrames }),
    ...(maxFrames !== undefined && { maxFrames }),
    scoreThreshold,
    generatePreview: has("preview/"),
    formats: has("annotations/") ? ["coco"] : [],
  };
  return { result, request, regions };
}
