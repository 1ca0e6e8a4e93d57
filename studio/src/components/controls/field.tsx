import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import "./field.css";

interface FieldProps {
  readonly label: string;
  /** Explanation below the control. */
  readonly hint?: ComponentChildren;
  /** Reason for refusing the input. */
  readonly problem?: string | null;
  /** Draws the control with these attributes on it. */
  readonly children: (attributes: ControlAttributes) => ComponentChildren;
}

interface ControlAttributes {
  readonly id: string;
  readonly "aria-describedby": string;
  readonly "aria-invalid": boolean;
}

/** A control with its label, a hint and, if there is one, its problem. */
export function Field({ label, hint, problem = null, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-more`, "aria-invalid": problem !== null })}
      <div id={`${id}-more`} class={problem === null ? "fine" : "fine field-problem"}>
        {problem ?? hint}
      </div>
    </div>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly text: Signal<string>;
  /** Why the text is refused, until it is changed. */
  readonly problem?: Signal<string | null>;
  readonly type?: "password";
  readonly inputMode?: "url";
  readonly maxLength?: number;
  readonly placeholder?: string;
  readonly autofocus?: boolean;
}

/** A line of text. */
export const TextField = ({ label, hint, text, problem, ...rest }: TextFieldProps) => (
  <Field label={label} hint={hint} problem={problem?.value ?? null}>
    {(attributes) => (
      <input
        class="input"
        autocomplete="off"
        {...rest}
        {...attributes}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          if (problem !== undefined) problem.value = null;
        }}
      />
    )}
  </Field>
);

interface SelectProps<Value> extends Partial<ControlAttributes> {
  readonly "aria-label"?: string;
  /** The values, null or undefined for none, and how people call them. */
  readonly options: readonly (readonly [value: Value, name: string | number])[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}

/** A choice between a few values. */
export const Select = <Value extends string | number | null | undefined>({
  options,
  chosen,
  onChoose,
  ...attributes
}: SelectProps<Value>) => (
  <select
    class="input"
    {...attributes}
    value={chosen ?? ""}
    onChange={({ currentTarget: { selectedIndex } }) => {
      const option = options[selectedIndex];
      if (option !== undefined) onChoose(option[0]);
    }}
  >
    {options.map(([value, name]) => (
      <option key={value} value={value ?? ""}>
        {name}
      </option>
    ))}
  </select>
);
