import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { ofFolder } from "./dropped-files.ts";
import { Button, type ButtonProps } from "../../../components/controls/button.tsx";

interface ChooseProps extends Pick<ButtonProps, "variant"> {
  readonly onFiles: (files: readonly File[]) => void;
  readonly many?: boolean;
  /** True to take the files of a folder, and of those in it. */
  readonly folder?: boolean;
  readonly children: ComponentChildren;
}

/** A button that opens the system's dialog for files. */
export function Choose({ onFiles, many = false, folder = false, variant = "plain", children }: ChooseProps) {
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
        // A phone converts its pictures to one of these.
        accept="image/jpeg,image/png,image/webp,image/gif,image/avif,video/*"
        multiple={many}
        {...(folder && { webkitdirectory: true })}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          onFiles(folder ? ofFolder(files) : files);
          // The same file may be chosen again.
          currentTarget.value = "";
        }}
      />
    </>
  );
}
