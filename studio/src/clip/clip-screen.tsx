import { useEffect } from "preact/hooks";
import { type CreateJobRequest, type JobStatus, VideoResult } from "segmentation-client";
import { Loading, Notice } from "../components/notice.tsx";
import { sentenceOf } from "../text/format.ts";
import { useLoaded } from "../state/requests.ts";
import { api, client } from "../state/session.ts";
import { ClipResult, type FoundClip } from "./clip-result.tsx";
import { useObjectUrl } from "../components/use-object-url.ts";
import "./clip.css";

interface ClipScreenProps {
  readonly job: JobStatus;
  /** How much of the job is done, 0 to 1. */
  readonly share: number;
  /** The clip's file, if this browser has it. */
  readonly original: Blob | null;
  /** The file's name, if it is known. */
  readonly name?: string | undefined;
  /** Called with the clip's file, if this browser didn't have it. */
  readonly onChoose: (file: File) => void;
  /** Called with what the job asked for, once it has ended. */
  readonly onFound: (request: CreateJobRequest) => void;
  /** Runs a further job for what this one lacks. */
  readonly onRunAgain: (request: CreateJobRequest) => void;
}

/** A clip's job: how far it is, then the clip with its masks and when each object is seen. */
export default function ClipScreen(props: ClipScreenProps) {
  const { job, share, original, name, onChoose, onFound, onRunAgain } = props;
  const { jobId, status } = job;
  const url = useObjectUrl(original);
  const loaded = useLoaded(
    async (signal) => (status === "success" ? await fetchFound(jobId, signal) : undefined),
    [status],
  );
  const { value: found } = loaded.value;
  useEffect(() => {
    if (found !== undefined) onFound(found.request);
  }, [found]);
  if (found !== undefined)
    return (
      <ClipResult {...found} url={url} name={name ?? "Clip"} onChoose={onChoose} onRunAgain={onRunAgain} />
    );
  return (
    <section class="clip" aria-label="Clip">
      {status === "success" ? (
        <Loading of={loaded} what="Loading masks" />
      ) : status === "failed" ? (
        <Failed problem={job.tasks[0]?.error ?? job.error ?? ""} />
      ) : (
        <UnderWay name={name ?? "The clip"} url={url} isQueued={status === "queued"} share={share} />
      )}
    </section>
  );
}

const Failed = ({ problem }: { readonly problem: string }) =>
  problem.startsWith("canceled") ? (
    <Notice title="Canceled">You can segment the clip again whenever you like.</Notice>
  ) : (
    <Notice tone="danger" title="The clip could not be segmented">
      {sentenceOf(problem)}
    </Notice>
  );

interface UnderWayProps {
  readonly name: string;
  readonly url: string | null;
  readonly isQueued: boolean;
  /** How much of the job is done, 0 to 1. */
  readonly share: number;
}

/** The clip while its job is in progress, with the progress. */
const UnderWay = ({ name, url, isQueued, share }: UnderWayProps) => (
  <>
    <header class="clip-head">
      <div>
        <h1>{name}</h1>
        <p role="status">{isQueued ? "Queued" : `${Math.round(share * 100)}% of the frames are segmented`}</p>
      </div>
    </header>
    {url !== null && <video class="clip-before" src={url} muted playsInline controls aria-label={name} />}
    <progress class="clip-progress" max={1} value={share} aria-label="Progress" />
  </>
);

/** Fetches what a clip's job has found. @throws SegmentationError */
async function fetchFound(jobId: string, signal: AbortSignal): Promise<FoundClip> {
  const [result, { manifest, assets }] = await Promise.all([
    client.value.result(jobId, { signal }),
    api.value.retrieveJobResult({ jobId }, { signal }),
  ]);
  const [item] = manifest.type === "video" ? manifest.items : [];
  if (!(result instanceof VideoResult) || item === undefined) throw new TypeError("This is not a video job.");
  const { fps, numFrames, maxFrames, scoreThreshold } = item;
  const has = (folder: string): boolean => assets.some(({ key }) => key.startsWith(folder));
  const request: CreateJobRequest = {
    type: "video",
    prompts: [...manifest.prompts],
    tasks: [result.taskId],
    ...(fps !== undefined && { fps }),
    ...(numFrames !== undefined && { numFrames }),
    ...(maxFrames !== undefined && { maxFrames }),
    scoreThreshold,
    generatePreview: has("preview/"),
    formats: has("annotations/") ? ["coco"] : [],
  };
  return { result, request };
}
