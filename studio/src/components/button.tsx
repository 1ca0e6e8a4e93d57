import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import "./button.css";

export interface ButtonProps extends Omit<ButtonHTMLAttributes, "size" | "icon"> {
  /** `main` once per screen at most: what people came for. */
  readonly look?: "main" | "plain" | "quiet" | "danger";
  /** Something is under way: the button says so and does nothing. */
  readonly busy?: boolean;
  readonly children?: ComponentChildren;
}

/** A button of the studio. */
export function Button({ look = "plain", busy = false, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={`button button-${look}`}
      aria-busy={busy}
      disabled={rest.disabled || busy}
    >
      {children}
    </button>
  );
}
