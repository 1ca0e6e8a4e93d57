import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../../components/controls/button.tsx";
import { lazyDialog } from "../../../components/lazy/lazy-part.tsx";
import { Notice, Problem } from "../../../components/layout/notice.tsx";
import { counted } from "../../../text/format.ts";
import { isAboutPlan, problemSentence } from "../../../text/problem-words.ts";
import { overview } from "../../../state/session.ts";
import { framesOf, obstacleTo } from "../../../workspace/rules/obstacles.ts";
import { showMasks } from "../../../workspace/masks/fetch-masks.ts";
import { segment } from "../../../workspace/jobs/run.ts";
import { send } from "../../../workspace/jobs/send.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import { Field, Select } from "../../../components/controls/field.tsx";
import { Slider } from "../../../components/controls/slider.tsx";
import { ObstacleNotice, Refused } from "../add-files/notices.tsx";
import { PromptField } from "./prompt-field.tsx";

/** The prompts and the search button, with the reason if it is disabled. */
export function AskFor({ workspace }: { readonly workspace: Workspace }) {
  const obstacle = useComputed(() =>
    overview.value === null
      ? null
      : obstacleTo(overview.value, workspace.type.value, workspace.pictures.value.length),
  );
  const isIdle = workspace.going.value.at === "idle";
  const canAsk =
    isIdle && obstacle.value === null && workspace.hasQuestion.value && workspace.pictures.value.length > 0;
  const units = unitsOf(workspace);
  const added = workspace.addedPrompts.value;
  // The same search once more is charged once more.
  const isAgain = workspace.isAnswered.value && workspace.hasQuestion.value;
  const isAsking = useSignal(false);
  const isOpened = useSignal(false);
  const form = useRef<HTMLElement>(null);
  // A job was refused for a reason that is known by now and shown above.
  const isSaid = obstacle.value !== null && isAboutPlan(workspace.problem.value?.error);
  const ask = (): void => {
    if (!canAsk) return;
    isOpened.value = false;
    void segment(workspace);
  };
  // Found objects come first; a video's objects are not in this panel.
  const isFolded =
    workspace.type.value === "image" &&
    isIdle &&
    workspace.isAnswered.value &&
    workspace.problem.value === null &&
    !isOpened.value;
  if (isFolded) {
    const hasFocus = form.current?.contains(document.activeElement) === true;
    return <Folded workspace={workspace} hasFocus={hasFocus} onOpen={() => (isOpened.value = true)} />;
  }
  return (
    <section ref={form} class="ask-for">
      <PromptField workspace={workspace} onDone={ask} />
      {workspace.type.value === "video" && <FrameRate workspace={workspace} />}
      <Threshold workspace={workspace} />
      {obstacle.value !== null && (
        <ObstacleNotice obstacle={obstacle.value}>
          {obstacle.value.keep !== undefined &&
            obstacle.value.keep > 0 &&
            workspace.jobIds.value.length === 0 && (
              <Button onClick={() => workspace.keepFirst(obstacle.value?.keep ?? 0)}>
                Do the first {obstacle.value.keep} now
              </Button>
            )}
        </ObstacleNotice>
      )}
      <Later workspace={workspace} />
      <CutOff workspace={workspace} />
      <Refused workspace={workspace} />
      <Unsent workspace={workspace} onRetry={canAsk ? ask : () => sendAgain(workspace)} />
      {!isSaid && <Failure workspace={workspace} onRetry={ask} />}
      <div class="ask-for-act">
        <Button
          variant={workspace.isAnswered.value ? "plain" : "main"}
          busy={!isIdle}
          disabled={!canAsk}
          onClick={isAgain ? () => (isAsking.value = true) : ask}
        >
          {!isIdle
            ? "Segmenting…"
            : isAgain
              ? `Run again${units === null ? "" : `, ${counted(units, "unit")}`}`
              : added.length > 0
                ? `Add ${added.join(", ")}`
                : "Segment"}
        </Button>
        {!isAgain && (
          <p class="fine">
            {costOf(workspace)}
            {added.length > 0 && " What was found so far stays."}
          </p>
        )}
      </div>
      {isAsking.value && (
        <RunAgainDialog units={units} onConfirm={ask} onClose={() => (isAsking.value = false)} />
      )}
    </section>
  );
}

interface FoldedProps {
  readonly workspace: Workspace;
  /** True if it takes the focus over from the form. */
  readonly hasFocus: boolean;
  readonly onOpen: () => void;
}

/** Prompts and threshold of the job whose objects are below, in a line. */
function Folded({ workspace, hasFocus, onOpen }: FoldedProps) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (hasFocus) section.current?.querySelector("button")?.focus();
  }, []);
  const { value: prompts } = workspace.prompts;
  const { value: threshold } = workspace.threshold;
  return (
    <section ref={section} class="ask-for-folded">
      <p class="cut" title={prompts.join(", ")}>
        {prompts.length === 0 ? "Objects by point or box" : prompts.join(", ")}
        {threshold !== null && <small> from {Math.round(threshold * 100)}%</small>}
      </p>
      <Button variant="quiet" onClick={onOpen}>
        {prompts.length === 0 ? "Add prompts" : "Change prompts"}
      </Button>
      <Refused workspace={workspace} />
    </section>
  );
}

/** Pictures that wait for further jobs, before the first one: they can be taken back. */
function Later({ workspace }: { readonly workspace: Workspace }) {
  const { value: later } = workspace.later;
  if (later.length === 0 || workspace.jobIds.value.length > 0) return null;
  return (
    <Notice
      title={`${counted(later.length, "picture")} for later`}
      actions={<Button onClick={() => workspace.takeBackLater()}>Put them back</Button>}
    >
      {later[0]?.name}
      {later.length > 1 && ` to ${later.at(-1)?.name}`}: the next job takes them.
    </Notice>
  );
}

/** Notice that a reload cut off the upload of this draft. */
const CutOff = ({ workspace }: { readonly workspace: Workspace }) =>
  workspace.wasCutOff.value && workspace.going.value.at === "idle" && workspace.jobIds.value.length === 0 ? (
    <Notice tone="warning" title="The upload was interrupted">
      The page was closed during the upload. Press Segment to upload the missing files again.
    </Notice>
  ) : null;

/** Sends the pictures that could not be sent for a pointed object. */
function sendAgain(workspace: Workspace): void {
  for (const { key } of workspace.unsent.value) void send(workspace, key);
}

function Failure({ workspace, onRetry }: { readonly workspace: Workspace; readonly onRetry: () => void }) {
  const problem = workspace.problem.value;
  if (problem === null) return null;
  const again: Partial<Record<typeof problem.of, () => void>> = {
    job: onRetry,
    masks: () => {
      const key = workspace.openPicture.value?.key;
      workspace.problem.value = null;
      if (key !== undefined) void showMasks(workspace, key);
    },
    opening: () => location.reload(),
  };
  const names = new Map(
    workspace.pictures.value.flatMap(({ sending, name }) =>
      sending.at === "sent" ? [[sending.taskId, name] as const] : [],
    ),
  );
  return <Problem error={problem.error} onRetry={again[problem.of]} names={names} />;
}

const RunAgainDialog = lazyDialog(
  async () => (await import("../../../components/dialogs/run-again-dialog.tsx")).RunAgainDialog,
);

/** The units of the workspace's next job; null if they are not known in advance. */
function unitsOf(workspace: Workspace): number | null {
  const { value: seconds } = workspace.seconds;
  if (workspace.type.value === "image") return workspace.pictures.value.length;
  return seconds === null ? null : framesOf(seconds, workspace.fps.value);
}

/** Describes the cost of the job, as far as it is known in advance. */
function costOf(workspace: Workspace): string {
  const count = unitsOf(workspace);
  if (workspace.type.value === "video")
    return count === null
      ? "Each processed frame is one unit."
      : `About ${counted(count, "frame")} = ${counted(count, "unit")}.`;
  const units = counted(count ?? 0, "unit");
  const { access, trial } = overview.value ?? {};
  if (access?.canCreateJobs === false) return "";
  return access?.mode === "trial" && trial !== undefined
    ? `${units} of the ${trial.remainingTokens} left in your trial.`
    : `${units}${count === 1 ? "" : ", one per picture"}.`;
}

/** Pictures that could not be sent, with the reason and the remedy. */
function Unsent({ workspace, onRetry }: { readonly workspace: Workspace; readonly onRetry: () => void }) {
  const unsent = workspace.unsent.value;
  if (unsent.length === 0 || workspace.going.value.at !== "idle") return null;
  const leaveOut = (): void => {
    for (const { key } of unsent) workspace.remove(key);
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

/** The least confidence of objects that the service keeps: others can't be shown later. */
function Threshold({ workspace }: { readonly workspace: Workspace }) {
  const usual = USUAL[workspace.type.value];
  const value = workspace.threshold.value ?? usual;
  return (
    <Slider
      label="Lowest confidence to find"
      valueText={`${Math.round(value * 100)}%${workspace.threshold.value === null ? ", the default" : ""}`}
      value={value}
      onInput={(chosen) => (workspace.threshold.value = chosen === usual ? null : chosen)}
    />
  );
}

const RATES = [1, 2, 5, 10, 25];

/** Field for the number of frames of a video that are processed per second. */
const FrameRate = ({ workspace }: { readonly workspace: Workspace }) => (
  <Field
    label="Frames per second"
    hint="More frames follow fast movement better, but each one counts as a unit."
  >
    {(attributes) => (
      <Select
        {...attributes}
        options={RATES.map((rate) => [rate, rate])}
        chosen={workspace.fps.value}
        onChoose={(rate) => (workspace.fps.value = rate)}
      />
    )}
  </Field>
);
