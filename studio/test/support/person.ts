import { readFile } from "node:fs/promises";
import type { FileChooser, Locator, Page } from "playwright-core";

/** Input of a person: a mouse or a finger, or only the keyboard. */
export type Input = "hand" | "keys";

/** A file that a person chooses. */
export interface ChosenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** More presses of the Tab key than any screen has stops. */
const MOST_STOPS = 150;

/** A person at a page, whose clicks or key presses are counted, and the units of the jobs that they ask for. */
export class Person {
  /** Clicks or taps, or presses of keys. The letters of words are not counted. */
  acts = 0;
  units = 0;
  readonly page: Page;
  readonly input: Input;
  readonly #isTouch: boolean;
  #files: readonly ChosenFile[] = [];

  /** @param options whether the hand is a finger, and how many units a job of a video costs */
  constructor(page: Page, input: Input, { isTouch = false, frames = 0 } = {}) {
    this.page = page;
    this.input = input;
    this.#isTouch = isTouch;
    page.on("request", (request) => {
      if (request.method() !== "POST" || !request.url().endsWith("/v1/jobs")) return;
      const { type, tasks } = request.postDataJSON();
      this.units += type === "video" ? frames : tasks.length;
    });
    page.on("filechooser", (chooser: FileChooser) => void chooser.setFiles([...this.#files]));
  }

  /** Uses a control: by a click or tap, or by Tab and a key. */
  async use(control: Locator, key = "Enter"): Promise<void> {
    await control.and(this.page.locator(":enabled")).waitFor();
    if (this.input === "keys") {
      await this.#reach(control);
      return await this.press(key);
    }
    this.acts += 1;
    await (this.#isTouch ? control.tap() : control.click());
  }

  /** Uses a button by its name. */
  async button(name: string | RegExp): Promise<void> {
    await this.use(this.page.getByRole("button", { name, ...(typeof name === "string" && { exact: true }) }));
  }

  /** Ticks a checkbox. */
  async tick(name: string): Promise<void> {
    await this.use(this.page.getByRole("checkbox", { name, exact: true }), " ");
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.acts += 1;
      await this.page.keyboard.press(key);
    }
  }

  /** Writes words into a field. Fields that have the focus anyway need no act. */
  async write(field: Locator, words: string): Promise<void> {
    await field.waitFor();
    if (this.input === "keys") await this.#reach(field);
    else if (!(await hasFocus(field))) await this.use(field);
    await this.page.keyboard.type(words);
  }

  /** Chooses an item of a menu. */
  async choose(menu: string, item: string): Promise<void> {
    await this.button(menu);
    const entry = this.page.getByRole("menuitem", { name: item });
    await entry.waitFor();
    if (this.input === "hand") return await this.use(entry);
    while (!(await hasFocus(entry))) await this.press("ArrowDown");
    await this.press("Enter");
  }

  /** Points at the middle of the open picture or of the video's frame. */
  async point(): Promise<void> {
    const surface = this.page.getByRole("application").first();
    await surface.scrollIntoViewIfNeeded();
    if (this.input === "keys") {
      await this.#reach(surface);
      // The first arrow shows the crosshair a step from the middle.
      return await this.press("ArrowRight", "ArrowLeft", "Enter");
    }
    const place = await surface.boundingBox();
    if (place === null) throw new Error("There is no picture.");
    this.acts += 1;
    const { mouse, touchscreen } = this.page;
    await (this.#isTouch ? touchscreen.tap(...middleOf(place)) : mouse.click(...middleOf(place)));
  }

  /** Chooses files by a button. */
  async give(button: string, files: readonly ChosenFile[]): Promise<void> {
    this.#files = files;
    await this.button(button);
  }

  /** Uses the control that saves a file, and returns the file. */
  async save(name: string): Promise<Uint8Array> {
    const [download] = await Promise.all([this.page.waitForEvent("download"), this.button(name)]);
    return new Uint8Array(await readFile(await download.path()));
  }

  async #reach(target: Locator): Promise<void> {
    for (let stops = 0; stops < MOST_STOPS; stops++) {
      const way = await wayTo(target);
      if (way === "here") return;
      await this.press(way === "before" ? "Shift+Tab" : "Tab");
    }
    throw new Error(`The Tab key does not lead to ${String(target)}.`);
  }
}

/** Tells where an element is, seen from the focus. */
const wayTo = async (target: Locator): Promise<"here" | "before" | "after"> =>
  await target.evaluate((element) => {
    const { activeElement: active, body } = element.ownerDocument;
    if (element === active) return "here";
    const isBefore = (active ?? body).compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING;
    return isBefore ? "before" : "after";
  });

const hasFocus = async (target: Locator): Promise<boolean> => (await wayTo(target)) === "here";

const middleOf = ({ x, y, width, height }: { x: number; y: number; width: number; height: number }) =>
  [x + width / 2, y + height / 2] as const;
