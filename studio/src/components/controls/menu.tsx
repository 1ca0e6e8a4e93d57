import type { TargetedKeyboardEvent } from "preact";
import { useId, useRef } from "preact/hooks";
import "./menu.css";

export interface MenuItem {
  readonly name: string;
  readonly isDangerous?: boolean;
  /** Its link, or its action. */
  readonly to: string | (() => void);
}

interface MenuProps {
  /** Name of the menu, for screen readers. */
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** Of the button: a list may decide where Tab goes. */
  readonly tabIndex?: number;
}

/** Next to the button, above it where the window ends. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const { top, bottom, right } = button.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const isLow = bottom + height + 8 > innerHeight;
  menu.style.top = `${isLow ? top - height - 4 : bottom + 4}px`;
  menu.style.left = `${Math.max(8, right - width)}px`;
}

/** A button with three dots that opens a menu. The browser closes it by Escape and by a press elsewhere. */
export function Menu({ label, items, tabIndex }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const entries = (): HTMLElement[] => [
    ...(menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? []),
  ];
  const leave = (): void => menu.current?.hidePopover();
  const move = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const all = entries();
    const at = all.findIndex((entry) => entry === document.activeElement);
    const steps: Partial<Record<string, number>> = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    };
    const next = steps[event.key];
    // The elements around the menu may use the same keys.
    event.stopPropagation();
    if (event.key === "Tab") leave();
    if (next === undefined) return;
    event.preventDefault();
    all[next]?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="menu-button"
        aria-label={label}
        aria-haspopup="menu"
        tabIndex={tabIndex}
        popovertarget={id}
      >
        <svg width="20" height="20" viewBox="0 0 20 20" fill="currentColor" aria-hidden="true">
          <circle cx="4" cy="10" r="1.500" />
          <circle cx="10" cy="10" r="1.500" />
          <circle cx="16" cy="10" r="1.500" />
        </svg>
      </button>
      <div
        ref={menu}
        id={id}
        class="menu"
        role="menu"
        aria-label={label}
        popover="auto"
        onKeyDown={move}
        onToggle={(event) => {
          if (event.newState !== "open" || button.current === null) return;
          place(event.currentTarget, button.current);
          entries()[0]?.focus();
        }}
      >
        {items.map(({ name, isDangerous = false, to }) => {
          const attributes = {
            role: "menuitem" as const,
            tabIndex: -1,
            class: isDangerous ? "menu-item menu-item-danger" : "menu-item",
          };
          return typeof to === "string" ? (
            <a key={name} {...attributes} href={to} onClick={leave}>
              {name}
            </a>
          ) : (
            <button
              key={name}
              {...attributes}
              type="button"
              onClick={() => {
                leave();
                to();
              }}
            >
              {name}
            </button>
          );
        })}
      </div>
    </>
  );
}
