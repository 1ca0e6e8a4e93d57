import { useSignal } from "@preact/signals";
import { Button } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { Notice } from "../components/notice.tsx";
import type { Order } from "./code/order.ts";
import { type Language, LANGUAGES, sampleOf } from "./code/samples.ts";
import { Tabs } from "./tabs.tsx";
import "./code-tab.css";

/** The same job as a program: with its files, prompts and options, and without any key. */
export function CodeTab({ order }: { readonly order: Order }) {
  const language = useSignal<Language>("curl");
  const { code, note } = sampleOf(language.value, order, location.origin);
  return (
    <div class="code-tab">
      <p class="code-tab-lead">
        The same job from your own program. It reads an <a href="/studio/keys">API key</a> from the
        environment variable <code>SEGMENTATION_API_KEY</code>.
      </p>
      {!order.isComplete && (
        <Notice title="The options are the defaults">
          This job was created elsewhere, so this browser only knows its prompts.
        </Notice>
      )}
      <Tabs
        label="Language"
        tabs={LANGUAGES}
        chosen={language.value}
        onChoose={(name) => {
          language.value = name;
        }}
      >
        {code !== null && <Listing key={language.value} code={code} />}
        <p class="code-tab-note">{note}</p>
      </Tabs>
    </div>
  );
}

function Listing({ code }: { readonly code: string }) {
  const state = useSignal<"idle" | "copied" | "refused">("idle");
  const copy = async (): Promise<void> => {
    state.value = await navigator.clipboard.writeText(code).then(
      () => "copied" as const,
      () => "refused" as const,
    );
  };
  const words = { idle: "Copy", copied: "Copied", refused: "Select the code to copy it" }[state.value];
  return (
    <div class="listing">
      <Button onClick={() => void copy()}>
        <Icon name={state.value === "copied" ? "check" : "copy"} size={16} />
        <span aria-live="polite">{words}</span>
      </Button>
      <pre class="listing-code" tabIndex={0} aria-label="Code sample">
        <code>
          {code
            .trimEnd()
            .split("\n")
            .map((line, i) => (
              <span key={i} class={/^\s*#/.test(line) ? "listing-comment" : undefined}>
                {`${line}\n`}
              </span>
            ))}
        </code>
      </pre>
    </div>
  );
}
