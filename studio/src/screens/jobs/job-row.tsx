import type { Signal } from "@preact/signals";
import type { JobSummary } from "segmentation-client";
import { Menu, type MenuItem } from "../../components/menu.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { StatusBadge, type StatusBadgeProps } from "../../components/status-badge.tsx";
import { counted } from "../../text/counted.ts";
import type { JobDetails } from "./job-details.ts";
import { sentenceOf } from "../../text/sentence-of.ts";
import { isUnderWay, promptsText, statusWord, subjectOf } from "./job-words.ts";
import { Thumbnail } from "./thumbnail.tsx";

/** What is asked for by a row's menu. */
export type JobAction = "cancel" | "delete";

export interface JobRowProps {
  readonly job: JobSummary;
  readonly details: Signal<JobDetails | null>;
  /** The row's place in the whole list, from 0. */
  readonly index: number;
  /** How far it is below the list's begin, in pixels. */
  readonly top: number;
  readonly isFocused: boolean;
  readonly onAct: (action: JobAction, job: JobSummary) => void;
}

const TONES: Record<JobSummary["status"], StatusBadgeProps["tone"]> = {
  queued: "waiting",
  processing: "working",
  success: "good",
  failed: "bad",
};

/** A job of the list. The whole row leads to it. */
export function JobRow({ job, details, index, top, isFocused, onAct }: JobRowProps) {
  const { jobId, error, status } = job;
  const known = details.value;
  const subject = subjectOf(job);
  const title = known?.prompts ? promptsText(known.prompts) : subject;
  const facts = [
    known?.prompts ? subject : null,
    known?.masks !== null && known?.masks !== undefined ? counted(known.masks, "mask") : null,
    error === null ? null : sentenceOf(error),
  ].filter((fact) => fact !== null);
  const items: MenuItem[] = [
    // The job's screen has its prompts, and takes others for the same uploads.
    { name: "Run again with different prompts", to: `/studio/jobs/${jobId}` },
    ...(isUnderWay(job) ? [{ name: "Cancel", to: () => onAct("cancel", job) }] : []),
    { name: "Delete", isDangerous: true, to: () => onAct("delete", job) },
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
        <Thumbnail taskId={known?.taskId ?? null} type={job.type} />
      </span>
      <span class="job-row-words" role="gridcell">
        <a class="job-row-link" href={`/studio/jobs/${jobId}`} tabIndex={tabIndex} title={jobId}>
          {title}
        </a>
        <span class="job-row-facts">{facts.length > 0 ? facts.join(" · ") : <code>{jobId}</code>}</span>
      </span>
      <span class="job-row-status" role="gridcell">
        <StatusBadge tone={TONES[status]}>{statusWord(job)}</StatusBadge>
        {isUnderWay(job) && known !== null && (
          <span class="job-row-progress">
            <progress max={1} value={known.progress} aria-label="Progress" />
            {job.totalItems > 1
              ? `${known.done} of ${job.totalItems}`
              : `${Math.round(known.progress * 100)}%`}
          </span>
        )}
      </span>
      <span class="job-row-time" role="gridcell">
        <RelativeTime at={job.createdAt} />
      </span>
      <span class="job-row-menu" role="gridcell">
        <Menu label={`Actions for ${title}`} items={items} tabIndex={tabIndex} />
      </span>
    </div>
  );
}
