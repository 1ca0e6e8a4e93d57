import { useSignal } from "@preact/signals";
import { Button, Icon } from "../../../components/controls/button.tsx";
import { useShortcuts } from "../../../state/use-shortcuts.ts";
import { LONGEST_LABEL } from "../../../workspace/rules/instances.ts";
import type { ViewState } from "../state/view-state.ts";
import "./classes.css";

/** Classes that have a key. */
const KEYS = 9;

/** The classes of the entry: a press names the selected objects, or the next one that is pointed at. */
export function Classes({ viewState }: { readonly viewState: ViewState }) {
  const { workspace, selecting } = viewState;
  const classes = viewState.classes.names.value;
  const active = workspace.activeClass.value;
  const typed = useSignal<string | null>(null);
  useShortcuts((key, { ctrlKey, metaKey }) => {
    const name = /^[1-9]$/.test(key) ? viewState.classes.names.peek()[Number(key) - 1] : undefined;
    if (name === undefined || ctrlKey || metaKey) return false;
    viewState.useClass(name);
    return true;
  });
  const add = (event: Event): void => {
    event.preventDefault();
    const name = (typed.value ?? "").trim().replaceAll(/\s+/g, " ");
    typed.value = null;
    if (name !== "") viewState.useClass(viewState.classes.take(name));
  };
  return (
    <section class="classes" aria-label="Classes">
      <ul>
        {classes.map((name, i) => (
          <li key={name}>
            <button
              type="button"
              class="classes-class"
              aria-pressed={name === active}
              title={i < KEYS ? `Key ${i + 1}` : undefined}
              onClick={() => viewState.useClass(name)}
            >
              {i < KEYS && <kbd aria-hidden="true">{i + 1}</kbd>}
              <span class="cut">{name}</span>
            </button>
          </li>
        ))}
        <li>
          {typed.value === null ? (
            <Button variant="quiet" onClick={() => (typed.value = "")}>
              <Icon name="plus" /> Class
            </Button>
          ) : (
            <form onSubmit={add}>
              <input
                class="input"
                aria-label="New class"
                maxLength={LONGEST_LABEL}
                autofocus
                value={typed.value}
                onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
                onBlur={add}
              />
            </form>
          )}
        </li>
      </ul>
      {(active !== null || selecting.objects.value.length > 0) && (
        <p class="fine" role="status">
          {selecting.objects.value.length > 0
            ? "A class names the selected objects."
            : `The next object that you point at gets the class ${active}.`}
        </p>
      )}
    </section>
  );
}
