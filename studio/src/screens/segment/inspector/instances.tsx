import { useComputed } from "@preact/signals";
import { Icon } from "../../../components/controls/button.tsx";
import { Slider } from "../../../components/controls/slider.tsx";
import { edit } from "../../../edit/edit.ts";
import { type Group, isConfident } from "../../../workspace/rules/instances.ts";
import { lastOf } from "../../../workspace/rules/pointed-objects.ts";
import type { Look } from "../state/view-state.ts";
import { Row } from "./instance-row.tsx";
import "./instances.css";

/** What was found in the open picture, by prompt: pointing at one lights it up in the picture, and the other way round. */
export function Instances({ look }: { readonly look: Look }) {
  const { work } = look;
  const key = work.openPicture.value?.key;
  const pending = useComputed(
    () =>
      work.pointed.value.filter(
        (object) => object.picture === key && ["waiting", "running"].includes(lastOf(object).state),
      ).length,
  );
  const groups = look.groups.value;
  const picture = work.openPicture.value;
  // Then nothing is known of what is in it.
  if (picture !== null && work.taskOf(picture)?.status === "failed") return null;
  if (groups.length === 0 && pending.value === 0)
    return <p class="fine">Objects that are found appear here.</p>;
  return (
    <section class="instances" aria-label="Objects">
      {groups.map((group) => (
        <GroupOf
          key={group.label}
          group={group}
          look={look}
          isKnown={group.instances.length > 0 || look.searched.value !== null}
        />
      ))}
      {look.complaint.value !== null && (
        <p class="fine" role="status">
          {look.complaint.value}
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
  readonly look: Look;
  /** Whether the masks are there. */
  readonly isKnown: boolean;
}

function GroupOf({ group: { label, instances }, look, isKnown }: GroupProps) {
  const name = label ?? "By point or box";
  const picture = look.work.openPicture.value;
  const problem = (picture && look.work.taskOf(picture)?.error) ?? "";
  const isUnserved =
    label !== null &&
    instances.length === 0 &&
    problem.startsWith("prompt_outside_vocabulary") &&
    problem.includes(label);
  const isHidden = instances.length > 0 && instances.every(({ object }) => look.hidden.value.has(object));
  // They are called something else by now.
  if (instances.length === 0 && look.searched.value?.some(({ prompt }) => prompt === label)) return null;
  const confident = instances.filter((instance) => isConfident(instance, look.filter.value));
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
            onClick={() => look.toggle(instances)}
          >
            <Icon name={isHidden ? "hidden" : "eye"} size={18} />
          </button>
        )}
      </header>
      {label !== null && instances.length > 0 && (look.work.found.value?.prompts.length ?? 0) > 1 && (
        <Least label={label} look={look} />
      )}
      {isKnown && instances.length === 0 && (
        <p class="fine">
          {isUnserved ? "Not in the model’s vocabulary: it wasn’t looked for." : "None in this picture."}
        </p>
      )}
      <ul>
        {confident.map((instance) => (
          <Row key={instance.object} instance={instance} look={look} />
        ))}
      </ul>
    </div>
  );
}

/** From which confidence on a prompt's objects are shown; none for the names that people gave. */
function Least({ label, look }: { readonly label: string; readonly look: Look }) {
  const { least, leasts } = look.filter.value;
  const own = leasts.get(label);
  const value = Math.max(own ?? least, look.lowest.value);
  if (!look.work.found.value?.prompts.includes(label)) return null;
  return (
    <Slider
      label={`Min. for ${label}`}
      valueText={own === undefined ? "as for all" : `${Math.round(own * 100)}%`}
      value={value}
      min={look.lowest.value}
      onInput={(chosen) => edit(look.work, { type: "least", prompt: label, least: chosen, at: Date.now() })}
    />
  );
}
