import { useComputed, useSignal } from "@preact/signals";
import { Button } from "../../../components/controls/button.tsx";
import { lazyDialog } from "../../../components/layout/lazy-part.tsx";
import { Notice, Problem } from "../../../components/layout/notice.tsx";
import { counted } from "../../../text/format.ts";
import { isAboutPlan, problemSentence } from "../../../text/problem-words.ts";
import { overview } from "../../../state/session.ts";
import { framesOf, obstacleTo } from "../../../workspace/rules/obstacles.ts";
import { showMasks } from "../../../workspace/masks/fetch-masks.ts";
import { segment } from "../../../workspace/jobs/run.ts";
import { send } from "../../../workspace/jobs/send.ts";
import type { Work } from "../../../workspace/workspace.ts";
import { Field, Select } from "../../../components/controls/field.tsx";
import { Slider } from "../../../components/controls/slider.tsx";
import { ObstacleNotice, Refused } from "../add-files/notices.tsx";
import { PromptField } from "./prompt-field.tsx";

/** The prompts and the button that looks for them, with whatever stands against it. */
export function AskFor({ work }: { readonly work: Work }) {
  const obstacle = useComputed(() =>
    overview.value === null ? null : obstacleTo(overview.value, work.type.value, work.pictures.value.length),
  );
  const isIdle = work.going.value.at === "idle";
  const canAsk =
    isIdle && obstacle.value === null && work.hasQuestion.value && work.pictures.value.length > 0;
  const units = unitsOf(work);
  // The same search once more is charged once more.
  const isAgain = work.isAnswered.value && work.hasQuestion.value;
  const isAsking = useSignal(false);
  // A job was refused for what is known by now, and is said above.
  const isSaid = obstacle.value !== null && isAboutPlan(work.problem.value?.error);
  const ask = (): void => {
    if (canAsk) void segment(work);
  };
  return (
    <section class="ask-for">
      <PromptField work={work} onDone={ask} />
      {work.type.value === "video" && <FrameRate work={work} />}
      <Threshold work={work} />
      {obstacle.value !== null && (
        <ObstacleNotice obstacle={obstacle.value}>
          {obstacle.value.keep !== undefined && obstacle.value.keep > 0 && work.jobIds.value.length === 0 && (
            <Button onClick={() => keepFirst(work, obstacle.value?.keep)}>
              Keep the first {obstacle.value.keep}
            </Button>
          )}
        </ObstacleNotice>
      )}
      <CutOff work={work} />
      <Refused work={work} />
      <Unsent work={work} onRetry={canAsk ? ask : () => sendAgain(work)} />
      {!isSaid && <Failure work={work} onRetry={ask} />}
      <Button
        variant={work.isAnswered.value ? "plain" : "main"}
        busy={!isIdle}
        disabled={!canAsk}
        onClick={isAgain ? () => (isAsking.value = true) : ask}
      >
        {!isIdle
          ? "Segmenting…"
          : isAgain
            ? `Run again${units === null ? "" : `, ${counted(units, "unit")}`}`
            : "Segment"}
      </Button>
      {isAsking.value && (
        <RunAgainDialog units={units} onConfirm={ask} onClose={() => (isAsking.value = false)} />
      )}
      <p class="fine">{costOf(work)}</p>
    </section>
  );
}

/** A reload cut the upload of this draft off. */
const CutOff = ({ work }: { readonly work: Work }) =>
  work.wasCutOff.value && work.going.value.at === "idle" && work.jobIds.value.length === 0 ? (
    <Notice tone="warning" title="The upload was interrupted">
      The page was closed during the upload. Press Segment to upload the missing files again.
    </Notice>
  ) : null;

/** Sends what could not be sent for something that was pointed at. */
function sendAgain(work: Work): void {
  for (const { key } of work.unsent.value) void send(work, key);
}

function keepFirst(work: Work, count = 0): void {
  work.pictures.value = work.pictures.value.slice(0, count);
}

function Failure({ work, onRetry }: { readonly work: Work; readonly onRetry: () => void }) {
  const problem = work.problem.value;
  if (problem === null) return null;
  const again: Partial<Record<typeof problem.of, () => void>> = {
    job: onRetry,
    masks: () => {
      const key = work.openPicture.value?.key;
      work.problem.value = null;
      if (key !== undefined) void showMasks(work, key);
    },
    opening: () => location.reload(),
  };
  const names = new Map(
    work.pictures.value.flatMap(({ sending, name }) =>
      sending.at === "sent" ? [[sending.taskId, name] as const] : [],
    ),
  );
  return <Problem error={problem.error} onRetry={again[problem.of]} names={names} />;
}

const RunAgainDialog = lazyDialog(
  async () => (await import("../../../components/dialogs/run-again-dialog.tsx")).RunAgainDialog,
);

/** The units of the work's next job; null if they are not known in advance. */
function unitsOf(work: Work): number | null {
  const { value: seconds } = work.seconds;
  if (work.type.value === "image") return work.pictures.value.length;
  return seconds === null ? null : framesOf(seconds, work.fps.value);
}

/** What the job will use, as far as that is known in advance. */
function costOf(work: Work): string {
  const count = unitsOf(work);
  if (work.type.value === "video")
    return count === null
      ? "Each processed frame is one unit."
      : `About ${counted(count, "frame")} = ${counted(count, "unit")}.`;
  const units = counted(count ?? 0, "unit");
  const { access, trial } = overview.value ?? {};
  if (access?.canCreateJobs === false) return "";
  return access?.mode === "trial" && trial !== undefined
    ? `${units} of the ${trial.remainingTokens} left in your trial.`
    : `${units}, one per picture.`;
}

/** Pictures that could not be sent, with why, and what to do about them. */
function Unsent({ work, onRetry }: { readonly work: Work; readonly onRetry: () => void }) {
  const unsent = work.unsent.value;
  if (unsent.length === 0 || work.going.value.at !== "idle") return null;
  const leaveOut = (): void => {
    for (const { key } of unsent) work.remove(key);
  };
  return (
    <Notice
      tone="danger"
      title={`${counted(unsent.length, "file")} could not be uploaded`}
      actions={
        <>
          <Button onClick={onRetry}>Try again</Button>
          <Button onClick={leaveOut}>Remove {unsent.length === 1 ? "it" : "them"}</Button>
        </>
      }
    >
      <ul>
        {unsent.slice(0, 3).map(({ key, name, sending }) => (
          <li key={key}>
            {name}: {sending.at === "failed" && problemSentence(sending.error)}
          </li>
        ))}
        {unsent.length > 3 && <li>And {unsent.length - 3} more.</li>}
      </ul>
    </Notice>
  );
}

/** The service's own thresholds. */
const USUAL = { image: 0.5, video: 0 } as const;

/** From which confidence on the service keeps what it finds: what is below can't be shown afterwards. */
function Threshold({ work }: { readonly work: Work }) {
  const usual = USUAL[work.type.value];
  const value = work.threshold.value ?? usual;
  return (
    <Slider
      label="Keep from confidence"
      valueText={`${Math.round(value * 100)}%${work.threshold.value === null ? ", the default" : ""}`}
      value={value}
      onInput={(chosen) => (work.threshold.value = chosen === usual ? null : chosen)}
    />
  );
}

const RATES = [1, 2, 5, 10, 25];

/** How many frames of a clip are processed per second. */
const FrameRate = ({ work }: { readonly work: Work }) => (
  <Field
    label="Frames per second"
    hint="More frames follow fast movement better, but each one counts as a unit."
  >
    {(attributes) => (
      <Select
        {...attributes}
        options={RATES.map((rate) => [rate, rate])}
        chosen={work.fps.value}
        onChoose={(rate) => (work.fps.value = rate)}
      />
    )}
  </Field>
);
