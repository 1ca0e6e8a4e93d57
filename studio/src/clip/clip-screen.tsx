import { useEffect } from "preact/hooks";
import type { CreateJobRequest } from "segmentation-client";
import { Problem } from "../components/problem.tsx";
import { Notice } from "../components/notice.tsx";
import { sentenceOf } from "../text/sentence-of.ts";
import { Waiting } from "../components/waiting.tsx";
import { ClipResult } from "./clip-result.tsx";
import { useObjectUrl } from "./use-object-url.ts";
import { useClipJob } from "./use-clip-job.ts";
import "./clip.css";

export interface ClipScreenProps {
  readonly jobId: string;
  /** The clip's file, if this browser has it. */
  readonly original: Blob | null;
  /** The file's name, if it is known. */
  readonly name?: string | undefined;
  /** Hears of the clip's file, where this browser didn't have it. */
  readonly onChoose: (file: File) => void;
  /** Hears what the job asked for, once it has ended. */
  readonly onFound: (request: CreateJobRequest) => void;
  /** Runs a further job for what this one lacks. */
  readonly onRunAgain: (request: CreateJobRequest) => void;
}

/** A clip's job: how far it is, then the clip with its masks and when each object is seen. */
export default function ClipScreen(props: ClipScreenProps) {
  const { jobId, original, name, onChoose, onFound, onRunAgain } = props;
  const url = useObjectUrl(original);
  const { status, share, found, error } = useClipJob(jobId);
  useEffect(() => {
    if (found.value !== null) onFound(found.value.request);
  }, [found.value]);
  if (found.value !== null)
    return (
      <ClipResult
        {...found.value}
        url={url}
        name={name ?? "Clip"}
        onChoose={onChoose}
        onRunAgain={onRunAgain}
      />
    );
  return (
    <section class="clip" aria-label="Clip">
      {error.value !== null ? (
        <Problem error={error.value} />
      ) : status.value === null || status.value.status === "success" ? (
        <Waiting what="Loading masks" />
      ) : status.value.status === "failed" ? (
        <Notice tone="danger" title="The clip could not be segmented">
          {sentenceOf(status.value.tasks[0]?.error ?? status.value.error ?? "")}
        </Notice>
      ) : (
        <UnderWay
          name={name ?? "The clip"}
          url={url}
          isQueued={status.value.status === "queued"}
          share={share.value}
        />
      )}
    </section>
  );
}

interface UnderWayProps {
  readonly name: string;
  readonly url: string | null;
  readonly isQueued: boolean;
  /** How much of the job is done, 0 to 1. */
  readonly share: number;
}

/** The clip while its job is under way, and how far that is. */
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
