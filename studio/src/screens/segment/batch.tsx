import { ErrorBoundary, lazy } from "preact-iso";
import type { GalleryItem } from "../../gallery/items.ts";
import { problemSentence } from "../../text/problem-words.ts";
import { type Picture, taskIdOf } from "../../work/picture.ts";
import type { Look } from "./look.ts";
import { Progress } from "./progress.tsx";

const Gallery = lazy(async () => (await import("../../gallery/gallery.tsx")).Gallery);

/** All pictures of a work, with what was found in each. */
export const Batch = ({ look }: { readonly look: Look }) => (
  <section class="stage" aria-label="All pictures">
    <div class="stage-pane stage-batch">
      <ErrorBoundary>
        <Gallery
          items={look.work.pictures.value.map((picture) => itemOf(look, picture))}
          open={look.work.openPicture.value?.key ?? null}
          onOpen={(key) => look.work.open(key)}
        />
      </ErrorBoundary>
    </div>
    <Progress work={look.work} />
  </section>
);

function itemOf(look: Look, picture: Picture): GalleryItem {
  const { work } = look;
  const { key, name, file, sending } = picture;
  const taskId = taskIdOf(picture);
  const task = work.taskOf(picture);
  const searched = work.instances.value.get(key);
  const seen = look.withPointed(key, searched ?? []);
  const pointed = seen.length - (searched?.length ?? 0);
  const count = taskId === null ? undefined : work.found.value?.counts.get(taskId);
  return {
    key,
    name,
    state: stateOf(picture, task?.status),
    share: sending.at === "sending" && file !== null && file.size > 0 ? sending.bytes / file.size : null,
    problem: sending.at === "failed" ? problemSentence(sending.error) : (task?.error ?? null),
    count: count === undefined && pointed === 0 ? null : (count ?? 0) + pointed,
    revision: [
      file === null ? "absent" : "here",
      work.found.value?.jobId,
      look.least.value,
      ...seen.map(({ id }) => (look.hidden.value.has(id) ? `-${id}` : id)),
    ].join(" "),
    original: async () => await Promise.resolve(file),
    masks: async () => await look.masksOf(key),
  };
}

function stateOf({ sending }: Picture, status: string | undefined): GalleryItem["state"] {
  if (sending.at === "failed" || status === "failed") return "failed";
  if (status === "success") return "done";
  if (status === "processing") return "processing";
  return sending.at === "sent" ? "waiting" : sending.at;
}
