import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { addressesIn, type Given } from "../../work/intake.ts";

export interface DropTargetProps {
  /** Hears of what is dropped or pasted anywhere on the page; null if nothing is taken now. */
  readonly onGiven: ((given: readonly Given[]) => void) | null;
  /** Whether something that can be taken is held over the page. */
  readonly isOver: Signal<boolean>;
  readonly children: ComponentChildren;
}

const isText = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

/** What is in a drop or in the clipboard: files, or a text of addresses. */
function givenIn(data: DataTransfer | null): readonly Given[] {
  const files = [...(data?.files ?? [])];
  if (files.length > 0) return files;
  return addressesIn(data?.getData("text/uri-list") || data?.getData("text/plain") || "") ?? [];
}

/** Takes pictures and clips wherever they are dropped, and whatever is pasted outside of text fields. */
export function DropTarget({ onGiven, isOver, children }: DropTargetProps) {
  useEffect(() => {
    const over = (event: DragEvent): void => {
      // Else the browser leaves the page for a file that is dropped beside its place.
      event.preventDefault();
      isOver.value = onGiven !== null;
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) isOver.value = false;
    };
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      isOver.value = false;
      onGiven?.(givenIn(event.dataTransfer));
    };
    const paste = (event: ClipboardEvent): void => {
      const given = givenIn(event.clipboardData);
      if (given.length === 0 || (isText(event.target) && given.some((each) => each instanceof URL))) return;
      event.preventDefault();
      onGiven?.(given);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    addEventListener("paste", paste);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
      removeEventListener("paste", paste);
    };
  }, [onGiven]);
  return <>{children}</>;
}
