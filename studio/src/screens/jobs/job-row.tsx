import type { Signal } from "@preact/signals";
import type { JobSummary } from "segmentation-client";
import { useEffect, useRef } from "preact/hooks";
import { Menu, type MenuItem } from "../../components/controls/menu.tsx";
import { RelativeTime, StatusBadge, type StatusBadgeProps } from "../../components/layout/table.tsx";
import { counted } from "../../text/format.ts";
import { isCanceled, sentenceOf } from "../../text/task-problems.ts";
import { Icon } from "../../components/controls/button.tsx";
import { findOriginal } from "../../workspace/saved/originals.ts";
import { account } from "../../state/session.ts";
import type { JobGroup } from "./job-groups.ts";
import type { JobDetails } from "./job-details.ts";
import { isUnderWay, promptsText, statusWord, subjectOf } from "./job-words.ts";

/** Action of a row's menu. */
export type JobAction = "cancel" | "delete";

interface JobRowProps {
  readonly group: JobGroup;
  readonly details: Signal<JobDetails | null>;
  /** Details of the job whose status the group shows. */
  readonly progress: Signal<JobDetails | null>;
  /** The row's place in the whole list, from 0. */
  readonly index: number;
  /** Its offset from the list's top, in pixels. */
  readonly top: number;
  readonly isFocused: boolean;
  readonly onAct: (action: JobAction, group: JobGroup) => void;
}

const TONES: Record<JobSummary["status"], StatusBadgeProps["tone"]> = {
  queued: "waiting",
  processing: "working",
  success: "good",
  failed: "bad",
};

/** A job in the list, with those that add to it. The whole row is a link to it. */
export function JobRow({ group, details, progress, index, top, isFocused, onAct }: JobRowProps) {
  const { job, state, jobs } = group;
  const { jobId, error } = job;
  const known = details.value;
  const subject = subjectOf(job);
  const title = known === null ? subject : promptsText(known.prompts);
  const running = progress.value;
  const wasCanceled = running?.isCanceled === true || isCanceled(state.error);
  const facts = [
    known === null ? null : subject,
    known?.masks !== null && known?.masks !== undefined ? counted(known.masks, "mask") : null,
    jobs.length > 1 ? counted(jobs.length - 1, "addition") : null,
    error === null || wasCanceled ? null : sentenceOf(error),
  ].filter((fact) => fact !== null);
  const items: MenuItem[] = [
    // The job's screen has its prompts, and takes others for the same uploads.
    { name: "Run again with different prompts", to: `/studio/jobs/${jobId}` },
    ...(isUnderWay(state) ? [{ name: "Cancel", to: () => onAct("cancel", group) }] : []),
    { name: "Delete", isDangerous: true, to: () => onAct("delete", group) },
  ];
  const tabIndex = isFocused ? 0 : -1;
  return (
    <div
      class="job-row"
      role="row"
      aria-rowindex={index + 1}
      data-row={index}
      style={{ transform: `translateY(${top}px)` }}
    >
      <span class="job-row-picture" role="gridcell">
        <Thumbnail taskId={known?.taskIds[0] ?? null} type={job.type} />
      </span>
      <span class="job-row-words" role="gridcell">
        <a class="row-link job-row-link cut" href={`/studio/jobs/${jobId}`} tabIndex={tabIndex} title={jobId}>
          {title}
        </a>
        <span class="job-row-facts fine cut">
          {facts.length > 0 ? facts.join(" · ") : <code>{jobId}</code>}
        </span>
      </span>
      <span class="job-row-status" role="gridcell">
        <StatusBadge tone={wasCanceled ? "off" : TONES[state.status]}>
          {statusWord(state, wasCanceled)}
        </StatusBadge>
        {isUnderWay(state) && running !== null && (
          <span class="job-row-progress fine">
            <progress max={1} value={running.progress} aria-label="Progress" />
            {state.totalItems > 1
              ? `${running.done} of ${state.totalItems}`
              : `${Math.round(running.progress * 100)}%`}
          </span>
        )}
      </span>
      <span class="job-row-time" role="gridcell">
        <RelativeTime at={jobs[0].createdAt} />
      </span>
      <span class="job-row-menu" role="gridcell">
        <Menu label={`Actions for ${title}`} items={items} tabIndex={tabIndex} />
      </span>
    </div>
  );
}

/** Twice the size on the screen, for screens that have more pixels. */
const SIDE = 96;

/** Draws the middle square of a picture. */
function drawSquare(canvas: HTMLCanvasElement, whole: ImageBitmap): void {
  const side = Math.min(whole.width, whole.height);
  const [left, top] = [(whole.width - side) / 2, (whole.height - side) / 2];
  canvas.getContext("2d")?.drawImage(whole, left, top, side, side, 0, 0, SIDE, SIDE);
}

/** A video's first frame. @throws if the browser can't play the file */
async function firstFrame(file: Blob): Promise<ImageBitmap> {
  const url = URL.createObjectURL(file);
  const video = document.createElement("video");
  try {
    const isThere = new Promise((resolve, reject) => {
      video.addEventListener("loadeddata", resolve);
      video.addEventListener("error", reject);
    });
    Object.assign(video, { muted: true, preload: "auto", src: url });
    await isThere;
    return await createImageBitmap(video);
  } finally {
    URL.revokeObjectURL(url);
  }
}

interface ThumbnailProps {
  /** The job's first upload; null while unknown. */
  readonly taskId: string | null;
  readonly type: JobSummary["type"];
}

/** A job's first picture, or its video's first frame, if this browser has it, else a sign. */
function Thumbnail({ taskId, type }: ThumbnailProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (taskId === null) return () => {};
    const controller = new AbortController();
    const show = async (): Promise<void> => {
      const original = await findOriginal(account.value?.accountId ?? "", taskId);
      if (original === null || controller.signal.aborted) return;
      const whole = await (type === "video" ? firstFrame(original.file) : createImageBitmap(original.file));
      if (canvas.current !== null && !controller.signal.aborted) drawSquare(canvas.current, whole);
      whole.close();
    };
    // A picture that can't be drawn keeps its icon.
    show().catch(() => {});
    return () => controller.abort();
  }, [taskId, type]);
  return (
    <span class="job-thumbnail">
      <Icon name={type === "video" ? "clip" : "picture"} />
      <canvas ref={canvas} width={SIDE} height={SIDE} aria-hidden="true" />
    </span>
  );
}
