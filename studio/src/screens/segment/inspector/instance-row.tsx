import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../../../components/controls/button.tsx";
import { lazyDialog } from "../../../components/lazy/lazy-part.tsx";
import { Menu, type MenuItem } from "../../../components/controls/menu.tsx";
import { edit } from "../../../edit/edit.ts";
import type { Edit } from "../../../workspace/rules/edit-history.ts";
import { pictureSurface } from "../../../state/lost-focus.ts";
import { isVisitor } from "../../../state/session.ts";
import { type Instance, nameOf } from "../../../workspace/rules/instances.ts";
import type { ViewState } from "../state/view-state.ts";

const RenameDialog = lazyDialog(async () => (await import("../../../edit/dialogs.tsx")).RenameDialog);
const MergeDialog = lazyDialog(async () => (await import("../../../edit/dialogs.tsx")).MergeDialog);

/** Words for the difference of an object from those of another search. */
const DIFFERENCES = { only: "only here", changed: "another outline" } as const;

/** An object of the list: a press hides or shows it, its menu changes it. */
export function Row({ instance, viewState }: { readonly instance: Instance; readonly viewState: ViewState }) {
  const row = useRef<HTMLLIElement>(null);
  const dialog = useSignal<"rename" | "merge" | null>(null);
  const isLit = viewState.highlighted.value === instance.id;
  const isHidden = viewState.hidden.value.has(instance.object);
  const { selecting } = viewState;
  const isSelected = selecting.objects.value.includes(instance.object);
  const isAccepted = viewState.workspace.acceptedObjects.value.has(instance.object);
  useEffect(() => {
    if (isLit) row.current?.scrollIntoView({ block: "nearest" });
  }, [isLit]);
  const light = () => (viewState.highlighted.value = instance.id);
  const unlight = (): void => {
    if (viewState.highlighted.value === instance.id) viewState.highlighted.value = null;
  };
  const difference = viewState.comparing.of(instance);
  const change = (made: Edit): void => edit(viewState.workspace, made);
  const close = () => (dialog.value = null);
  const others = viewState.instances.value.filter(({ object }) => object !== instance.object);
  const remove = (): void => {
    // The focus goes to the row's replacement.
    const next = row.current?.nextElementSibling ?? row.current?.previousElementSibling;
    change({ type: "delete", object: instance.object });
    (next?.querySelector<HTMLElement>("button") ?? pictureSurface())?.focus();
  };
  /** Begins what is done on the picture, and so the keys go there. */
  const onPicture = (begin: (of: Instance) => void) => (): void => {
    begin(instance);
    pictureSurface()?.focus();
  };
  const press = ({ ctrlKey, metaKey, shiftKey }: MouseEvent): void => {
    if (shiftKey && !isVisitor.value) selecting.extendTo(instance);
    else if ((ctrlKey || metaKey) && !isVisitor.value) selecting.toggle([instance]);
    else viewState.toggle([instance]);
  };
  const findAlike = viewState.refining.findAlike(instance);
  const items: readonly MenuItem[] = [
    { name: isSelected ? "Deselect" : "Select", to: () => selecting.toggle([instance]) },
    { name: "Rename…", to: () => (dialog.value = "rename") },
    { name: isAccepted ? "Take acceptance back" : "Accept", to: () => viewState.accept([instance.object]) },
    ...(viewState.refining.canBegin(instance)
      ? [{ name: "Refine by points", to: onPicture((of) => viewState.refine(of)) }]
      : []),
    ...(findAlike === null ? [] : [{ name: "Find all like this, 1 unit", to: findAlike }]),
    { name: "Brush and eraser", to: onPicture((of) => viewState.select(of)) },
    { name: "Split into parts", to: () => void viewState.split(instance) },
    ...(others.length > 0 ? [{ name: "Merge with…", to: () => (dialog.value = "merge") }] : []),
    { name: "Delete", isDangerous: true, to: remove },
  ];
  return (
    <li ref={row} class="instances-row" data-lit={isLit} data-hidden={isHidden} data-selected={isSelected}>
      <button
        type="button"
        class="instances-toggle"
        aria-pressed={!isHidden}
        title={isHidden ? "Show" : "Hide"}
        onClick={press}
        onPointerEnter={light}
        onPointerLeave={unlight}
        onFocus={light}
        onBlur={unlight}
      >
        <span class="instances-swatch" style={{ background: viewState.colour(instance).css }} />
        <span class="instances-name cut">
          {nameOf(instance)}
          {isAccepted && (
            <>
              {" "}
              <Icon name="check" size={14} />
              <span class="unseen">accepted</span>
            </>
          )}
          {difference !== null && difference !== "same" && (
            <em class="instances-difference">{DIFFERENCES[difference]}</em>
          )}
        </span>
        <span class="instances-confidence">{Math.round(instance.confidence * 100)}%</span>
        <Icon name={isHidden ? "hidden" : "eye"} size={16} />
      </button>
      {!isVisitor.value && <Menu label={`Change ${nameOf(instance)}`} items={items} />}
      {dialog.value === "rename" && (
        <RenameDialog
          name={nameOf(instance)}
          label={instance.label}
          classes={viewState.classes.names.value}
          onRename={(label) => viewState.nameObjects(undefined, [instance.object], label)}
          onClose={close}
        />
      )}
      {dialog.value === "merge" && (
        <MergeDialog instance={instance} others={others} onEdit={change} onClose={close} />
      )}
    </li>
  );
}
