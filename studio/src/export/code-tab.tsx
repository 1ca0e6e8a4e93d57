import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { CopyButton } from "../components/controls/copy-field.tsx";
import { Notice } from "../components/layout/notice.tsx";
import type { ExportedJob } from "./code/exported-job.ts";
import { Tabs } from "./tabs.tsx";
import { commandLine } from "./code/command-line.ts";
import { curlCode } from "./code/curl.ts";
import { pythonCode } from "./code/python.ts";
import { typescriptCode } from "./code/typescript.ts";
import "./code-tab.css";

/** The same job as a program: with its files, prompts and options, and without any key. */
export function CodeTab({ exportedJob }: { readonly exportedJob: ExportedJob }) {
  const language = useSignal<Language>("curl");
  const { code, note } = sampleOf(language.value, exportedJob, location.origin);
  return (
    <div class="code-tab">
      <p class="code-tab-lead">
        The same job from your own program. It reads an <a href="/studio/keys">API key</a> from the
        environment variable <code>SEGMENTATION_API_KEY</code>.
      </p>
      {!exportedJob.isComplete && (
        <Notice title="The options are the defaults">
          This job was created elsewhere, so this browser only knows its prompts.
        </Notice>
      )}
      <Tabs
        label="Language"
        tabs={LANGUAGES}
        chosen={language.value}
        onChoose={(name) => (language.value = name)}
      >
        {code !== null && <Listing key={language.value} code={code} />}
        <p class="code-tab-note">{note}</p>
      </Tabs>
    </div>
  );
}

function Listing({ code }: { readonly code: string }) {
  const text = useRef<HTMLPreElement>(null);
  return (
    <div class="listing">
      <CopyButton value={code} shownBy={text} />
      <pre ref={text} class="listing-code" tabIndex={0} aria-label="Code sample">
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

type Language = "curl" | "typescript" | "python" | "command-line";

const LANGUAGES: readonly { readonly name: Language; readonly title: string }[] = [
  { name: "curl", title: "curl" },
  { name: "typescript", title: "TypeScript" },
  { name: "python", title: "Python" },
  { name: "command-line", title: "Command line" },
];

/** A job as code, or the reason why there is none, with notes. */
interface Sample {
  readonly code: string | null;
  readonly note: string;
}

const NEEDS_CLIENT =
  "Requires the package segmentation-client. It is not on npm yet: npm run pack-client builds it in a clone of the service.";

/** A job as code of a language. @param baseUrl of the service */
function sampleOf(language: Language, exportedJob: ExportedJob, baseUrl: string): Sample {
  switch (language) {
    case "curl":
      return { code: curlCode(exportedJob, baseUrl), note: "Save it as a file and run it with bash." };
    case "typescript":
      return { code: typescriptCode(exportedJob, baseUrl), note: NEEDS_CLIENT };
    case "python":
      return { code: pythonCode(exportedJob, baseUrl), note: "Requires Python 3 and nothing else." };
    case "command-line": {
      const { code, note } = commandLine(exportedJob, baseUrl);
      return {
        code,
        note: note ?? `${NEEDS_CLIENT} If it is interrupted, run it again to resume.`,
      };
    }
  }
}
