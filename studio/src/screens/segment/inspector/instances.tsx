import { useComputed } from "@preact/signals";
import { Icon } from "../../../components/controls/button.tsx";
import { Slider } from "../../../components/controls/slider.tsx";
import { edit } from "../../../edit/edit.ts";
import { type Group, isConfident } from "../../../workspace/rules/instances.ts";
import { lastOf } from "../../../workspace/rules/pointed-objects.ts";
import type { ViewState } from "../state/view-state.ts";
import { Row } from "./instance-row.tsx";
import "./instances.css";

/** Objects of the open picture, by prompt: pointing at one lights it up in the picture, and the other way round. */
export function Instances({ viewState }: { readonly viewState: ViewState }) {
  const { workspace } = viewState;
  const key = workspace.openPicture.value?.key;
  const pending = useComputed(
    () =>
      workspace.pointed.value.filter(
        (object) => object.picture === key && ["waiting", "running"].includes(lastOf(object).state),
      ).length,
  );
  const groups = viewState.groups.value;
  const picture = workspace.openPicture.value;
  // Then nothing is known of what is in it.
  if (picture !== null && workspace.taskOf(picture)?.status === "failed") return null;
  if (groups.length === 0 && pending.value === 0)
    return <p class="fine">Objects that are found appear here.</p>;
  return (
    <section class="instances" aria-label="Objects">
      {groups.map((group) => (
        <GroupOf
          key={group.label}
          group={group}
          viewState={viewState}
          isKnown={group.instances.length > 0 || viewState.searched.value !== null}
        />
      ))}
      {workspace.takenBack.value.some(({ picture: of, purpose }) => of === key && purpose === "new") && (
        <p class="fine" role="status">
          Taken back. The unit stays spent; redo is another job.
        </p>
      )}
      {pending.value > 0 && (
        <p class="fine" role="status">
          {pending.value === 1
            ? "Segmenting the selected object…"
            : `Segmenting ${pending.value} selected objects…`}
        </p>
      )}
    </section>
  );
}

interface GroupProps {
  readonly group: Group;
  readonly viewState: ViewState;
  /** True if the masks are there. */
  readonly isKnown: boolean;
}

function GroupOf({ group: { label, instances }, viewState, isKnown }: GroupProps) {
  const name = label ?? "By point or box";
  const picture = viewState.workspace.openPicture.value;
  const problem = (picture && viewState.workspace.taskOf(picture)?.error) ?? "";
  const isUnserved =
    label !== null &&
    instances.length === 0 &&
    problem.startsWith("prompt_outside_vocabulary") &&
    problem.includes(label);
  const isHidden =
    instances.length > 0 && instances.every(({ object }) => viewState.hidden.value.has(object));
  // They are called something else by now.
  if (instances.length === 0 && viewState.searched.value?.some(({ prompt }) => prompt === label)) return null;
  const confident = instances.filter((instance) => isConfident(instance, viewState.filter.value));
  return (
    <div class="instances-group">
      <header>
        <h2>{name}</h2>
        <span class="instances-count">{isUnserved ? "–" : isKnown ? confident.length : "…"}</span>
        {instances.length > 0 && (
          <button
            type="button"
            class="instances-eye"
            aria-pressed={!isHidden}
            aria-label={`Show ${name}`}
            onClick={() => viewState.toggle(instances)}
          >
            <Icon name={isHidden ? "hidden" : "eye"} size={18} />
          </button>
        )}
      </header>
      {label !== null &&
        instances.length > 0 &&
        (viewState.workspace.found.value?.prompts.length ?? 0) > 1 && (
          <Least label={label} viewState={viewState} />
        )}
      {isKnown && instances.length === 0 && (
        <p class="fine">
          {isUnserved ? "Not in the model’s vocabulary: it wasn’t looked for." : "None in this picture."}
        </p>
      )}
      <ul>
        {confident.map((instance) => (
          <Row key={instance.object} instance={instance} viewState={viewState} />
        ))}
      </ul>
    </div>
  );
}

/** From which confidence on a prompt's objects are shown; none for the names that people gave. */
function Least({ label, viewState }: { readonly label: string; readonly viewState: ViewState }) {
  const { least, leasts } = viewState.filter.value;
  const own = leasts.get(label);
  const value = Math.max(own ?? least, viewState.lowest.value);
  if (!viewState.workspace.found.value?.prompts.includes(label)) return null;
  return (
    <Slider
      label={`Min. for ${label}`}
      valueText={own === undefined ? "as for all" : `${Math.round(own * 100)}%`}
      value={value}
      min={viewState.lowest.value}
      onInput={(chosen) =>
        edit(viewState.workspace, { type: "least", prompt: label, least: chosen, at: Date.now() })
      }
    />
  );
}
