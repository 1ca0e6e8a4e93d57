import { useComputed } from "@preact/signals";
import { Icon } from "../../../components/controls/button.tsx";
import { type Group, isConfident } from "../../../workspace/rules/instances.ts";
import { type Attempt, lastOf } from "../../../workspace/rules/pointed-objects.ts";
import { isNew } from "../../../workspace/masks/objects.ts";
import { isVisitor } from "../../../state/session.ts";
import type { ViewState } from "../state/view-state.ts";
import { Row } from "./instance-row.tsx";
import { NewRow } from "./new-row.tsx";
import { Selected } from "./selected.tsx";
import "./instances.css";

/** Returns true if nothing is shown of the attempt until its job has drawn it. */
const isPending = ({ state, isDecoded }: Attempt): boolean =>
  (state === "waiting" || state === "running") && isDecoded !== true;

/** Objects of the open picture, by prompt: pointing at one lights it up in the picture, and the other way round. */
export function Instances({ viewState }: { readonly viewState: ViewState }) {
  const { workspace } = viewState;
  const key = workspace.openPicture.value?.key;
  const pending = useComputed(
    () =>
      workspace.pointed.value.filter((object) => object.picture === key && isPending(lastOf(object))).length,
  );
  const groups = viewState.groups.value;
  const picture = workspace.openPicture.value;
  // Then its content is unknown.
  const isDone = picture !== null && workspace.isDone(picture);
  if (picture !== null && !isDone && workspace.taskOf(picture)?.status === "failed") return null;
  const isKnown = viewState.searched.value !== null;
  const there = groups.filter(({ instances }) => instances.length > 0);
  const missing = groups.flatMap(({ label, instances }) => {
    // They are called something else by now.
    const isRenamed = viewState.searched.value?.some(({ prompt }) => prompt === label) === true;
    return label === null || instances.length > 0 || isRenamed ? [] : [label];
  });
  const problem = (picture && workspace.taskOf(picture)?.error) ?? "";
  const isUnserved = (label: string): boolean =>
    problem.startsWith("prompt_outside_vocabulary") && problem.includes(label);
  if (groups.length === 0 && pending.value === 0)
    return <p class="fine">Objects that are found appear here.</p>;
  return (
    <section class="instances" aria-label="Objects">
      <Selected viewState={viewState} />
      {there.map((group) => (
        <GroupOf key={group.label} group={group} viewState={viewState} />
      ))}
      {isKnown ? (
        <>
          <Missing says="None in this picture" labels={missing.filter((label) => !isUnserved(label))} />
          <Missing
            says="Not looked for, because the model doesn’t know it"
            labels={missing.filter(isUnserved)}
          />
        </>
      ) : (
        <Missing says="Loading" labels={missing} />
      )}
      {workspace.takenBack.value.some(({ picture: of, isSpent }) => of === key && isSpent) && (
        <p class="fine" role="status">
          Taken back. The unit stays spent; redo is another job.
        </p>
      )}
      {pending.value > 0 && (
        <p class="fine" role="status">
          {pending.value === 1
            ? "Segmenting the object that you pointed at…"
            : `Segmenting ${pending.value} objects that you pointed at…`}
        </p>
      )}
    </section>
  );
}

/** Prompts without objects, in a line; nothing if there are none. */
const Missing = ({ says, labels }: { readonly says: string; readonly labels: readonly string[] }) =>
  labels.length === 0 ? null : (
    <p class="fine">
      {says}: {labels.join(", ")}.
    </p>
  );

interface GroupProps {
  readonly group: Group;
  readonly viewState: ViewState;
}

function GroupOf({ group: { label, instances }, viewState }: GroupProps) {
  const name = label ?? "By point or box";
  const kept = instances.filter((instance) => !isNew(instance));
  const isHidden = kept.length > 0 && kept.every(({ object }) => viewState.hidden.value.has(object));
  const confident = instances.filter((instance) => isConfident(instance, viewState.filter.value));
  return (
    <div class="instances-group">
      <header>
        <h2>{name}</h2>
        <span class="instances-count">{confident.length}</span>
        <button
          type="button"
          class="instances-eye"
          aria-pressed={!isHidden}
          aria-label={`Show ${name}`}
          onClick={() => viewState.toggle(kept)}
        >
          <Icon name={isHidden ? "hidden" : "eye"} size={18} />
        </button>
      </header>
      {label === null && !isVisitor.value && (
        <p class="fine">They have no class yet. Rename them, or name them in the export.</p>
      )}
      <ul>
        {confident.map((instance) =>
          isNew(instance) ? (
            <NewRow key={instance.object} instance={instance} viewState={viewState} />
          ) : (
            <Row key={instance.object} instance={instance} viewState={viewState} />
          ),
        )}
      </ul>
    </div>
  );
}
