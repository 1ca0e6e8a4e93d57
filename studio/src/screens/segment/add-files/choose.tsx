import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Button, type ButtonProps } from "../../../components/controls/button.tsx";

interface ChooseProps extends Pick<ButtonProps, "variant"> {
  readonly onFiles: (files: readonly File[]) => void;
  readonly many?: boolean;
  readonly children: ComponentChildren;
}

/** A button that opens the system's dialog for files. */
export function Choose({ onFiles, many = false, variant = "plain", children }: ChooseProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button variant={variant} onClick={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        hidden
        type="file"
        aria-label="Files"
        accept="image/*,video/*"
        multiple={many}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          // The same file may be chosen again.
          currentTarget.value = "";
        }}
      />
    </>
  );
}
