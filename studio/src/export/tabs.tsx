import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import "./tabs.css";

interface TabsProps<Name extends string> {
  /** Name of the tabs, for screen readers. */
  readonly label: string;
  readonly tabs: readonly { readonly name: Name; readonly title: string }[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  /** Contents of the chosen tab. */
  readonly children: ComponentChildren;
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Tabs with the chosen panel: arrow keys go from tab to tab. */
export function Tabs<Name extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<Name>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const step = (event: KeyboardEvent): void => {
    const at = tabs.findIndex(({ name }) => name === chosen);
    const ends: Readonly<Record<string, number>> = { Home: 0, End: tabs.length - 1 };
    const to = ends[event.key] ?? (at + (STEPS[event.key] ?? 0) + tabs.length) % tabs.length;
    const next = tabs[to];
    if (to === at || next === undefined) return;
    event.preventDefault();
    onChoose(next.name);
    list.current?.querySelectorAll("button")[to]?.focus();
  };
  return (
    <div class="tabs">
      <div ref={list} class="tabs-list" role="tablist" aria-label={label} onKeyDown={step}>
        {tabs.map(({ name, title }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {title}
          </button>
        ))}
      </div>
      <div class="tabs-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </div>
  );
}
