import { signal } from "@preact/signals";
import { SegmentationClient } from "segmentation-client";
import { ExportDialog } from "../../../src/export/export-dialog.tsx";
import type { ExportDialogProps, ExportMask, ExportPicture } from "../../../src/export/types.ts";
import { session } from "../../../src/state/session.ts";
import { maskColour } from "../../../src/viewer/colours.ts";

/** An entry to export. The files of its pictures and masks are next to the page. */
export interface ExportScene {
  readonly pictures: readonly {
    readonly name: string;
    /** URL of the picture; null if this browser doesn't have it. */
    readonly url: string | null;
    readonly verdict: ExportPicture["verdict"];
    readonly objects: readonly {
      readonly url: string;
      readonly label: string | null;
      readonly isShown: boolean;
    }[];
  }[];
  readonly prompts: readonly string[];
  /** Classes of earlier exports. */
  readonly classes: readonly string[];
  /** Name of the open picture; null if all are shown. */
  readonly open: string | null;
}

/** Entry in the export dialog; null as long as there is none. */
export const exporting = signal<ExportScene | null>(null);

/** Opens the export of an entry, signed in to the service that the page's server plays. */
export function openExport(scene: ExportScene): void {
  const client = new SegmentationClient({ apiKey: "key", baseUrl: location.origin });
  session.value = { client, kind: "key" };
  exporting.value = scene;
}

const fetchFile = async (url: string): Promise<Blob> => await (await fetch(url)).blob();

function nameObjects(picture: string, objects: readonly string[], label: string): void {
  if (exporting.value === null) return;
  const pictures = exporting.value.pictures.map((each) => ({
    ...each,
    objects: each.objects.map((object) =>
      each.name === picture && objects.includes(object.url) ? { ...object, label } : object,
    ),
  }));
  exporting.value = { ...exporting.value, pictures };
}

export const Exporting = ({ pictures, prompts, classes, open }: ExportScene) => (
  <ExportDialog
    jobId="job_1"
    isOneJob
    exportedJob={{
      request: { type: "image", prompts: [...prompts], tasks: pictures.map(({ name }) => name) },
      sources: new Map(pictures.map(({ name }) => [name, name])),
      isComplete: true,
    }}
    units={pictures.length}
    prompts={prompts}
    classes={classes}
    onExported={(exported) => {
      if (exporting.value !== null) exporting.value = { ...exporting.value, classes: exported };
    }}
    pictures={pictures.map(({ name, url, verdict, objects }): ExportDialogProps["pictures"][number] => ({
      taskId: name,
      name,
      verdict,
      hasOriginal: url !== null,
      original: async () => (url === null ? null : await fetchFile(url)),
      masks: async () =>
        await Promise.all(
          objects.map(async ({ url: mask, label, isShown }, i): Promise<ExportMask> => ({
            object: mask,
            title: `${label ?? "object"}-${i + 1}`,
            label,
            confidence: 0.9,
            isShown,
            rgb: maskColour(i).rgb,
            png: await fetchFile(mask),
          })),
        ),
      nameObjects: (named, label) => nameObjects(name, named, label),
    }))}
    {...(open !== null && { current: open })}
    onClose={() => (exporting.value = null)}
  />
);
