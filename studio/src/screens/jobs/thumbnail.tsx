import type { JobSummary } from "segmentation-client";
import { Icon } from "../../components/icon.tsx";

export interface ThumbnailProps {
  readonly taskId: string | null;
  readonly type: JobSummary["type"];
}

/** A job's first picture. */
export const Thumbnail = ({ type }: ThumbnailProps) => (
  <span class="job-thumbnail" data-type={type}>
    <Icon name="picture" />
  </span>
);
