import { signal } from "@preact/signals";
import { render } from "preact";
import type { MasksJson } from "segmentation-client";
import { Playback } from "../../../src/clip/playback.ts";
import { shownAt } from "../../../src/clip/time.ts";
import { Renderer } from "../../../src/render/renderer.ts";
import { Gallery } from "../../../src/gallery/gallery.tsx";
import { EVERYTHING } from "../../../src/gallery/filter.ts";
import type { GalleryItem } from "../../../src/gallery/items.ts";
import { ClipViewer } from "../../../src/viewer/clip/clip-viewer.tsx";
import { fit } from "../../../src/viewer/view/view.ts";
import type { Layer, Point, Region, Tool } from "../../../src/viewer/types.ts";
import { maskColour } from "../../../src/viewer/colours.ts";
import { PictureViewer } from "../../../src/viewer/picture-viewer.tsx";
import { Exporting, exporting, openExport } from "./exporting.tsx";
import { Listed, listed, openObjects } from "./objects.tsx";
import { panFrames } from "./panning.ts";
import "../../../src/styles/tokens.css";
import "../../../src/styles/base.css";
import "./page.css";

/** Request of a test to the page. */
export interface Scene {
  /** URL of the picture, or the size of a gray one. */
  readonly picture: string | { readonly width: number; readonly height: number };
  /** The files of masks. */
  readonly masks: readonly { readonly url: string; readonly prompt: number; readonly label: string }[];
}

const picture = signal<ImageBitmap | null>(null);
const layers = signal<readonly Layer[]>([]);
const pendingRegions = signal<readonly Region[]>([]);
const tool = signal<Tool>("pan");
const opacity = signal(0.5);
const highlighted = signal<string | null>(null);
/** Masks that were selected together. */
const selection = signal<readonly string[]>([]);
/** True if a click on a mask selects it. */
const isSelecting = signal(false);
const strokes: { readonly points: readonly number[]; readonly mask: string | null }[] = [];

async function greyPicture(width: number, height: number): Promise<ImageBitmap> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("There is no 2D canvas.");
  context.fillStyle = "#808080";
  context.fillRect(0, 0, width, height);
  return await createImageBitmap(canvas);
}

/** A picture in which every pixel is another than its neighbors, as in a photograph. */
async function noisyPicture(width: number, height: number): Promise<ImageBitmap> {
  const pixels = new ImageData(width, height);
  for (let i = 0, noise = 1; i < pixels.data.length; i++) {
    noise = (noise * 1_103_515_245 + 12_345) & 0x7fffffff;
    pixels.data[i] = i % 4 === 3 ? 255 : noise >> 16;
  }
  return await createImageBitmap(pixels);
}

async function open({ picture: from, masks }: Scene): Promise<void> {
  picture.value =
    typeof from === "string"
      ? await createImageBitmap(await (await fetch(from)).blob())
      : await greyPicture(from.width, from.height);
  layers.value = await Promise.all(
    masks.map(async ({ url, prompt, label }, i) => ({
      id: url,
      mask: await (await fetch(url)).blob(),
      colour: maskColour(prompt, masks.slice(0, i).filter((each) => each.prompt === prompt).length),
      visible: true,
      label,
    })),
  );
}

/** Shows only the layers of these places in the list. */
function show(...visible: readonly number[]): void {
  layers.value = layers.value.map((layer, i) => ({ ...layer, visible: visible.includes(i) }));
}

/** A large picture, its masks, and a pixel at which the last one is seen. */
interface LargeScene {
  readonly width: number;
  readonly height: number;
  readonly urls: readonly string[];
  readonly at: Point;
}

/** Shows a large picture in a separate viewer. Resolves when all masks are there. */
async function openLarge({ width, height, urls, at }: LargeScene): Promise<void> {
  layers.value = [];
  picture.value = null;
  await Promise.resolve();
  picture.value = await noisyPicture(width, height);
  layers.value = await Promise.all(
    urls.map(async (id, i) => ({
      id,
      mask: await (await fetch(id)).blob(),
      colour: maskColour(i),
      visible: true,
      label: "",
    })),
  );
  const last = urls.at(-1);
  if (last !== undefined) await untilPointedAt(last, at);
}

/** Resolves when the pointer finds a mask at a pixel of the fitted picture: masks are decoded one after the other. */
async function untilPointedAt(id: string, at: Point): Promise<void> {
  while (highlighted.value !== id) {
    await new Promise(requestAnimationFrame);
    const canvas = document.querySelector("canvas");
    if (canvas === null || picture.value === null) continue;
    const { width, height, left, top } = canvas.getBoundingClientRect();
    const { scale, x, y } = fit(picture.value, { width, height });
    const [clientX, clientY] = [left + x + at.x * scale, top + y + at.y * scale];
    canvas.dispatchEvent(new PointerEvent("pointermove", { pointerType: "mouse", clientX, clientY }));
  }
  highlighted.value = null;
}

const clip = signal<{ readonly src: string; readonly masksJson: MasksJson } | null>(null);
const playback = signal(new Playback());
const hiddenObjects = signal<readonly number[]>([]);
const highlightedObject = signal<number | null>(null);

/** Shows a video with the masks of a file, and continues by so many processed frames while the file is still being opened. */
async function openClip(file: string, masks: string, steps = 0): Promise<void> {
  const masksJson: MasksJson = await (await fetch(masks)).json();
  const opened = new Playback();
  opened.times.value = masksJson.frames.map(({ timeSec }) => timeSec);
  playback.value = opened;
  clip.value = { src: URL.createObjectURL(await (await fetch(file)).blob()), masksJson };
  await Promise.resolve();
  for (let i = 0; i < steps; i++) opened.step(1);
}

/** Shows the masks of another job of the same video. */
async function showMasks(masks: string): Promise<void> {
  if (clip.value !== null) clip.value = { ...clip.value, masksJson: await (await fetch(masks)).json() };
}

/** Goes to a time in seconds. */
const seek = (seconds: number): void => playback.value.seek(seconds);

/** Continues by a processed frame. */
const step = (): void => playback.value.step(1);

function Clip({ src, masksJson }: { readonly src: string; readonly masksJson: MasksJson }) {
  const ids = new Set(masksJson.frames.flatMap(({ objects }) => objects.map(({ objectId }) => objectId)));
  return (
    <ClipViewer
      label="The video"
      src={src}
      masksJson={masksJson}
      sampleAt={(seconds) => shownAt(playback.value.times.value, seconds)}
      sample={playback.value.shown}
      objects={[...ids].map((objectId) => ({
        objectId,
        colour: maskColour(objectId),
        visible: !hiddenObjects.value.includes(objectId),
        label: `object ${objectId}`,
      }))}
      opacity={opacity}
      highlighted={highlightedObject}
      tool="pan"
      onVideo={(player) => playback.value.attach(player)}
    />
  );
}

const galleryFilter = signal(EVERYTHING);
const batch = signal<readonly GalleryItem[]>([]);
/** The pictures of the gallery that were asked for, in that order. */
const asked: number[] = [];

/** The places of the gallery's pictures in the order in which they were drawn. */
const drawn: number[] = [];

/** Shows a gallery of this many pictures. */
async function openGallery(count: number): Promise<void> {
  const canvas = new OffscreenCanvas(1_200, 800);
  canvas.getContext("2d")?.fillRect(0, 0, 1_200, 800);
  const file = await canvas.convertToBlob({ type: "image/jpeg" });
  const original = async (i: number): Promise<Blob> => {
    asked.push(i);
    return await Promise.resolve(file);
  };
  new MutationObserver((changes) => {
    const canvases = [...document.querySelectorAll("canvas")];
    for (const { target } of changes)
      if (target instanceof HTMLCanvasElement && !target.hidden) drawn.push(canvases.indexOf(target));
  }).observe(document.body, { subtree: true, attributeFilter: ["hidden"] });
  batch.value = Array.from({ length: count }, (_, i) => ({
    key: String(i),
    name: `${i}.jpg`,
    state: "done",
    share: null,
    problem: null,
    count: 0,
    labels: [],
    leastSure: null,
    verdict: null,
    revision: "1",
    original: async () => await original(i),
    masks: async () => await Promise.resolve([]),
  }));
}

/** Returns the outcomes of drawings requested before and after their worker is closed, or while it does not load. */
async function drawWithout(what: "its page" | "its script"): Promise<readonly string[]> {
  const renderer = new Renderer();
  const draw = async (): Promise<readonly unknown[]> => await renderer.under(new Blob(), []);
  const before = [draw(), draw()];
  if (what === "its page") renderer.close();
  const outcomes = await Promise.allSettled(before);
  outcomes.push(...(await Promise.allSettled([draw()])));
  return outcomes.map((outcome) => (outcome.status === "rejected" ? String(outcome.reason) : "drawn"));
}

const viewer = {
  openExport,
  openObjects,
  drawWithout,
  openGallery,
  asked,
  drawn,
  openClip,
  showMasks,
  seek,
  step,
  hiddenObjects,
  highlightedObject,
  openLarge,
  panFrames,
  open,
  show,
  layers,
  pendingRegions,
  tool,
  opacity,
  highlighted,
  strokes,
  selection,
  isSelecting,
};
declare global {
  interface Window {
    viewer: typeof viewer;
  }
}
window.viewer = viewer;

function Page() {
  if (exporting.value !== null) return <Exporting {...exporting.value} />;
  if (listed.value !== null) return <Listed viewState={listed.value} />;
  if (batch.value.length > 0)
    return (
      <Gallery
        items={batch.value}
        open={null}
        filter={galleryFilter}
        labels={[]}
        onOpen={() => undefined}
        onJudge={(keys, verdict) => {
          batch.value = batch.value.map((item) =>
            keys.includes(item.key) ? Object.assign({}, item, { verdict }) : item,
          );
        }}
      />
    );
  if (clip.value !== null) return <Clip {...clip.value} />;
  if (picture.value === null) return null;
  return (
    <PictureViewer
      label="The picture"
      picture={picture.value}
      size={picture.value}
      layers={layers.value}
      opacity={opacity}
      highlighted={highlighted}
      tool={tool.value}
      pendingRegions={pendingRegions.value}
      onRegion={(region, replacesLatest) => {
        pendingRegions.value = [...pendingRegions.value.slice(0, replacesLatest ? -1 : undefined), region];
      }}
      onSelect={(mask) => {
        if (isSelecting.value) selection.value = [mask];
        return isSelecting.value;
      }}
      selection={selection.value}
      onSelectMany={(masks) => (selection.value = masks)}
      brush={{ radius: 20, colour: null }}
      onStroke={(points, mask) => strokes.push({ points, mask })}
    />
  );
}

const root = document.querySelector("#root");
if (root !== null) render(<Page />, root);
