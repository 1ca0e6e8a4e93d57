import { Notice } from "../../components/notice.tsx";
import { type Picture, taskIdOf } from "../../work/picture.ts";
import { sentenceOf } from "../../text/sentence-of.ts";
import type { Work } from "../../work/work.ts";

export interface TaskProblemProps {
  readonly work: Work;
  readonly picture: Picture;
  /** There is no picture that it would cover. */
  readonly isAlone: boolean;
}

/** Why the open picture failed, or what its task could not do. */
export function TaskProblem({ work, picture, isAlone }: TaskProblemProps) {
  const taskId = taskIdOf(picture);
  const task = work.job.value?.tasks.find((each) => each.taskId === taskId);
  if (task === undefined || task.error === null) return null;
  const hasFailed = task.status === "failed";
  return (
    <div class="stage-problem" data-alone={isAlone}>
      <Notice
        tone={hasFailed ? "danger" : "warning"}
        title={hasFailed ? "This picture could not be segmented" : "Not everything could be searched for"}
      >
        {sentenceOf(task.error)}
      </Notice>
    </div>
  );
}
