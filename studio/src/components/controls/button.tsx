import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import "./button.css";

export interface ButtonProps extends Omit<ButtonHTMLAttributes, "size" | "icon"> {
  /** `main` at most once per screen, for its main purpose. */
  readonly variant?: "main" | "plain" | "quiet" | "danger";
  /** The action is in progress: the button says so and does nothing. */
  readonly busy?: boolean;
  readonly children?: ComponentChildren;
}

/** A button of the studio. */
export function Button({
  variant = "plain",
  busy = false,
  disabled = false,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={`button button-${variant}`}
      aria-busy={busy}
      // A disabled button would lose the focus.
      aria-disabled={busy}
      disabled={disabled && !busy}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {children}
    </button>
  );
}

/** Outlines on a grid of 24, drawn with the text's colour. */
const PATHS = {
  segment:
    "M4 8V5a1 1 0 0 1 1-1h3M16 4h3a1 1 0 0 1 1 1v3M20 16v3a1 1 0 0 1-1 1h-3M8 20H5a1 1 0 0 1-1-1v-3M12 9v6M9 12h6",
  jobs: "M4 6h16M4 12h16M4 18h10",
  usage: "M5 20V11M12 20V4M19 20v-6",
  keys: "M14 10a4 4 0 1 0-3.6 4L13 16.500h3V14h2.500v-2.500L14 10zM8.500 8.500h.01",
  webhooks: "M12 4a8 8 0 0 1 8 8M12 8a4 4 0 0 1 4 4M12 12h.01M4 12a8 8 0 0 0 8 8M8 12a4 4 0 0 0 4 4",
  close: "M6 6l12 12M18 6L6 18",
  out: "M14 5h4a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1h-4M10 8l-4 4 4 4M6 12h9",
  check: "M5 12.500l4.500 4.500L19 7.500",
  copy: "M9 9h10v10H9zM5 15V5h10",
  download: "M12 4v11M7.500 11l4.500 4.500 4.500-4.500M5 20h14",
  plus: "M12 5v14M5 12h14",
  link: "M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-5.500-5.500l-1.500 1.500M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 5.500 5.500L12 16.500",
  minus: "M5 12h14",
  trash: "M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12",
  undo: "M9 7l-4 4 4 4M5 11h9a5 5 0 0 1 0 10h-2",
  redo: "M15 7l4 4-4 4M19 11h-9a5 5 0 0 0 0 10h2",
  brush: "M14 4l6 6-7 7-6-6zM7 11l-2 2c-1 1 1 4-2 6 4 1 7 0 8-2l2-2",
  eraser: "M13 5l6 6-8 8H7l-3-3zM9.500 8.500l6 6M11 19h8",
  eye: "M3 12s3.500-6 9-6 9 6 9 6-3.500 6-9 6-9-6-9-6zM12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z",
  hidden:
    "M4 4l16 16M9.500 6.500A9 9 0 0 1 12 6c5.500 0 9 6 9 6a16 16 0 0 1-2.700 3.200M6 8a15 15 0 0 0-3 4s3.500 6 9 6a9 9 0 0 0 3.300-.6",
  point: "M12 3v5M12 16v5M3 12h5M16 12h5M12 12h.01",
  hand: "M8 12V6.500a1.500 1.500 0 0 1 3 0V11M11 11V5a1.500 1.500 0 0 1 3 0v6M14 11V6.500a1.500 1.500 0 0 1 3 0V14a6 6 0 0 1-6 6c-3 0-4.300-1.500-6-5l-1-2.200a1.400 1.400 0 0 1 2.400-1.300L8 13.500",
  clip: "M4 5h16v14H4zM10 9.500l5 2.500-5 2.500z",
  picture: "M4 5h16v14H4zM4 16l5-5 4 4 2.500-2.500L20 17M15.500 9h.01",
} as const;

export type IconName = keyof typeof PATHS;

/** An icon next to a word, or in a button that has a label: screen readers skip it. */
export const Icon = ({ name, size = 20 }: { readonly name: IconName; readonly size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.6"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={PATHS[name]} />
  </svg>
);
