/** Three people's tasks in the studio, from the files to the downloads. */
import { readFile } from "node:fs/promises";
import { unzipSync } from "fflate";
import type { ChosenFile, Person } from "./person.ts";

const SAMPLES = ["coffee", "chelsea", "astronaut"] as const;

/** Returns the samples' photos, by turns. */
export const photos = async (count: number): Promise<ChosenFile[]> =>
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const sample = SAMPLES[i % SAMPLES.length] ?? "coffee";
      return {
        name: `${sample} ${i}.png`,
        mimeType: "image/png",
        buffer: await readFile(`samples/${sample}.png`),
      };
    }),
  );

/** Called at each screen on which a person stops. */
type Look = () => Promise<void>;

/** Searches photos for words. */
async function search(person: Person, count: number, words: string): Promise<void> {
  const { page } = person;
  await person.give("Choose files", await photos(count));
  await person.write(page.getByLabel("Prompts"), words);
  if (person.input === "keys") await person.press("Enter");
  else await person.button("Segment");
  await page.getByRole("button", { name: "Export" }).waitFor();
}

/** A data engineer makes a YOLO set of photos, with one class added later, and a picture judged alone. Returns its files. */
export async function makeYolo(
  person: Person,
  count: number,
  look: Look,
): Promise<Record<string, Uint8Array>> {
  const { page } = person;
  await search(person, count, "cup, cat,");
  await look();
  await person.button("Change prompts");
  await person.write(page.getByLabel("Prompts"), "person,");
  await person.button("Add person");
  await page.getByText("cup, cat, person").waitFor();
  await page.getByRole("button", { name: "Export" }).waitFor();
  await person.use(page.locator(".gallery-cell button").first());
  await page.getByRole("toolbar", { name: "Pointer" }).waitFor();
  await look();
  if (person.input === "keys") await person.press("a");
  else await person.button("Accept");
  await page.getByText(`1 of ${count} reviewed`).waitFor();
  await person.button(`All ${count}`);
  await person.tick("Least sure first");
  await person.button(/^Accept \d+$/);
  await page.getByText(/^Accepted \d+$/).waitFor();
  await person.button("Export");
  await person.tick("With the pictures");
  await person.tick("Split into train and val");
  await look();
  return unzipSync(await person.save("Download YOLO"));
}

/** A designer makes cut-outs on a colored page, and copies one. Returns their files. */
export async function makeCutOuts(
  person: Person,
  count: number,
  look: Look,
): Promise<Record<string, Uint8Array>> {
  const { page } = person;
  await search(person, count, "cup, cat, person,");
  await person.button("Export");
  await person.tick("Background");
  // The browser's own dialog for colors is not on the page.
  await page.getByLabel("Background color").fill("#3366cc");
  await page.getByRole("img", { name: /^Cut-out of/ }).waitFor();
  await look();
  await person.button(/^Copy/);
  return unzipSync(await person.save("Download Cut-outs"));
}

/** A video editor has an object tracked, sees a frame first, corrects a frame, and takes COCO and mattes. */
export async function trackObject(
  person: Person,
  clip: ChosenFile,
  look: Look,
): Promise<{ readonly coco: unknown; readonly mattes: readonly string[] }> {
  const { page } = person;
  await person.give("Choose files", [clip]);
  await page.getByRole("toolbar", { name: "Pointer" }).waitFor();
  await page.getByText("Frame 1 of about 2").waitFor();
  await person.point();
  await page.getByRole("listitem").filter({ hasText: "Object 1" }).waitFor();
  await look();
  await person.button("Try this frame, 1 unit");
  await page.getByText(/^Found: Object 1/).waitFor();
  await look();
  await person.button("Close");
  await person.button("Segment");
  await page.getByText("2 frames, 0:00.0–0:00.5").waitFor();
  await person.choose("Change Object 1", "Correct by points");
  if (person.input === "keys") await person.press(".");
  else await person.button("Next processed frame");
  await page.getByText("Frame 2 of 2").waitFor();
  await person.point();
  await person.button("Segment");
  await page.getByRole("button", { name: /^Run again, / }).waitFor();
  await look();
  await person.button("Export");
  const unnamed = page.getByRole("form", { name: "Objects without a class" });
  await person.write(unnamed.getByLabel("Class"), "cat");
  await person.button("Name it");
  const coco: unknown = JSON.parse(new TextDecoder().decode(await person.save("Download COCO")));
  const mattes = Object.keys(unzipSync(await person.save("Download Luma mattes")));
  await look();
  return { coco, mattes };
}
