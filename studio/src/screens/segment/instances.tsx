import { useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../../components/button.tsx";
import { type Group, type Instance, isConfident, nameOf } from "../../work/instances.ts";
import { removePointed } from "../../work/point.ts";
import { lastOf } from "../../work/pointed.ts";
import type { Look } from "./look.ts";
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
    return <p class="instances-none">Objects that are found appear here.</p>;
  return (
    <section class="instances" aria-label="Objects">
      {groups.map((group) => (
        <GroupOf
          key={group.prompt}
          group={group}
          look={look}
          isKnown={group.prompt === null || look.searched.value !== null}
        />
      ))}
      {pending.value > 0 && (
        <p class="instances-pending" role="status">
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

function GroupOf({ group: { prompt, instances }, look, isKnown }: GroupProps) {
  const name = prompt ?? "By point or box";
  const picture = look.work.openPicture.value;
  const problem = (picture && look.work.taskOf(picture)?.error) ?? "";
  const isUnserved =
    prompt !== null &&
    instances.length === 0 &&
    problem.startsWith("prompt_outside_vocabulary") &&
    problem.includes(prompt);
  const isHidden = instances.length > 0 && instances.every(({ id }) => look.hidden.value.has(id));
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
      {isKnown && instances.length === 0 && (
        <p class="instances-none">
          {isUnserved ? "Not in the model’s vocabulary: it wasn’t looked for." : "None in this picture."}
        </p>
      )}
      <ul>
        {confident.map((instance) => (
          <Row key={instance.id} instance={instance} look={look} />
        ))}
      </ul>
    </div>
  );
}

function Row({ instance, look }: { readonly instance: Instance; readonly look: Look }) {
  const object = instance.prompt === null ? look.objectOf(instance) : null;
  const row = useRef<HTMLLIElement>(null);
  const isLit = look.highlighted.value === instance.id;
  const isHidden = look.hidden.value.has(instance.id);
  useEffect(() => {
    if (isLit) row.current?.scrollIntoView({ block: "nearest" });
  }, [isLit]);
  const light = () => (look.highlighted.value = instance.id);
  const unlight = (): void => {
    if (look.highlighted.value === instance.id) look.highlighted.value = null;
  };
  return (
    <li ref={row} class="instances-row" data-lit={isLit} data-hidden={isHidden}>
      <button
        type="button"
        class="instances-toggle"
        aria-pressed={!isHidden}
        title={isHidden ? "Show" : "Hide"}
        onClick={() => look.toggle([instance])}
        onPointerEnter={light}
        onPointerLeave={unlight}
        onFocus={light}
        onBlur={unlight}
      >
        <span class="instances-swatch" style={{ background: look.colour(instance).css }} />
        <span class="instances-name">{nameOf(instance)}</span>
        <span class="instances-confidence">{Math.round(instance.confidence * 100)}%</span>
        <Icon name={isHidden ? "hidden" : "eye"} size={16} />
      </button>
      {object !== null && (
        <button
          type="button"
          class="instances-remove"
          aria-label={`Remove ${nameOf(instance)}`}
          onClick={() => removePointed(look.work, object)}
        >
          <Icon name="close" size={16} />
        </button>
      )}
    </li>
  );
}
