import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Usage } from "../../../src/device/usage.ts";
import { BuiltinManifest } from "../../../src/models/builtin/manifest.ts";
import { readNounTable, Vocabulary } from "../../../src/models/labels/vocabulary.ts";
import { TextEncoder } from "../../../src/models/labels/text-encoder.ts";
import { ensureBuiltin } from "../../../src/models/fetch/ensure-builtin.ts";
import { readManifest } from "../../../src/models/folder.ts";
import { GraphSet } from "../../../src/models/graph.ts";
import { DEFAULT_LOAD_OPTIONS } from "../../../src/models/loaded-model.ts";

const DOWNLOAD_MS = 600_000;

let vocabulary: Vocabulary;
let names: string[];
let graphs: GraphSet;

beforeAll(async () => {
  const folder = await ensureBuiltin();
  const manifest = await readManifest(folder, BuiltinManifest);
  graphs = new GraphSet(folder, DEFAULT_LOAD_OPTIONS);
  const graph = await graphs.load(manifest.graphs.text);
  const json = async (name: string): Promise<object> =>
    JSON.parse(await readFile(join(folder, name), "utf8"));
  const { tokenizer, tokenizerConfig, maxTokens, nouns } = manifest.text;
  const encoder = new TextEncoder(graph, await json(tokenizer), await json(tokenizerConfig), maxTokens);
  const table = readNounTable(await readFile(join(folder, nouns), "utf8"));
  vocabulary = await Vocabulary.load(manifest, table, encoder, 1_000_000);
  names = manifest.vocabulary.labels.map(({ name }) => name);
}, DOWNLOAD_MS);
afterAll(() => graphs.close());

async function meant(prompt: string): Promise<string[]> {
  return (await vocabulary.resolve(prompt, new Usage())).labels.map((label) => names[label] ?? "");
}

async function refusal(prompt: string): Promise<string> {
  const { labels, message } = await vocabulary.resolve(prompt, new Usage());
  return labels.length === 0 && message !== undefined ? message : expect.fail(`"${prompt}" was understood`);
}

describe("a prompt means a label", () => {
  it("by its own name, for all 80", async () => {
    expect(names).toHaveLength(80);
    for (const name of names) expect(await meant(name)).toEqual([name]);
  });

  it.each([
    ["Cats", "cat"],
    ["  THE  Dining Tables! ", "dining table"],
    ["two dogs", "dog"],
    ["knives", "knife"],
    ["buses", "bus"],
    ["people", "person"],
    ["children", "person"],
    ["hot dogs", "hot dog"],
    ["scissors", "scissors"],
    ["ski", "skis"],
  ])("in any case, number and phrase: %s", async (prompt, label) => {
    expect(await meant(prompt)).toEqual([label]);
  });

  it.each([
    ["taxi", "car"],
    ["kid", "person"],
    ["astronaut", "person"],
    ["kitten", "cat"],
    ["puppies", "dog"],
    ["polar bear", "bear"],
    ["coffee cup", "cup"],
    ["sofa", "couch"],
    ["hamburger", "sandwich"],
    ["phone", "cell phone"],
    ["fridge", "refrigerator"],
    ["ostriches", "bird"],
    ["dalmatian", "dog"],
  ])("as a kind of it, by WordNet: %s", async (prompt, label) => {
    expect(await meant(prompt)).toEqual([label]);
  });

  it.each([
    ["mug", "cup"],
    ["doughnut", "donut"],
    ["television", "tv"],
    ["bike", "bicycle"],
    ["table", "dining table"],
    ["stove", "oven"],
  ])("as its neighbour, where WordNet's first sense is another: %s", async (prompt, label) => {
    expect(await meant(prompt)).toEqual([label]);
  });

  it.each([
    ["red car", "car"],
    ["black cat", "cat"],
    ["a cup of coffee", "cup"],
    ["a slice of pizza", "pizza"],
    ["a woman wearing a hat", "person"],
    ["cat on the sofa", "cat"],
    ["big red mug", "cup"],
  ])("as the noun that its words are about: %s", async (prompt, label) => {
    expect(await meant(prompt)).toEqual([label]);
  });

  it.each([
    ["animals", ["bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe"]],
    ["fruit", ["banana", "apple", "orange"]],
    ["vehicle", ["bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat"]],
  ])("and several if the word is wider: %s", async (prompt, labels) => {
    expect(await meant(prompt)).toEqual(labels);
  });
});

async function notice(prompt: string): Promise<string | undefined> {
  return (await vocabulary.resolve(prompt, new Usage())).message;
}

describe("a prompt that lists several things", () => {
  it.each(
    [
      ", ",
      ";",
      "|",
      "/",
      "\n",
      "\r\n",
      "\t",
      " . ",
      ". ",
      "、",
      "，",
      " & ",
      " + ",
      " or ",
      " and/or ",
      " as well as ",
    ].map((separator) => [`cup${separator}spoon`]),
  )("is answered with what was looked for and what was not: %j", async (prompt) => {
    const [label = ""] = await meant(prompt);
    const other = label === "cup" ? "spoon" : "cup";
    expect(await notice(prompt)).toContain(
      `looked only for "${label}", not for "${other}". Send a prompt for each`,
    );
  });

  it.each([
    ["cup and spoon", "cup", '"spoon"'],
    ["a cup and a spoon", "cup", '"a spoon"'],
    ["cup, spoon, and fork", "spoon", '"cup", "fork"'],
    ["cup . spoon . fork .", "fork", '"cup", "spoon"'],
    ['["cup", "spoon"]', "spoon", '"cup"'],
    ["1. cup 2. spoon", "spoon", '"cup"'],
    ["picture of a cup and a spoon", "cup", '"a spoon"'],
    ["cup on the left and spoon on the right", "cup", '"spoon on the right"'],
    ["dog, black cat", "cat", '"dog"'],
    ["unicorn, cup", "cup", '"unicorn"'],
    ["animals, dog", "dog", '"animals"'],
    ["hot dog, pizza", "pizza", '"hot dog"'],
    ["orange and apple", "orange", '"apple"'],
  ])("%s: finds the %s, and not %s", async (prompt, label, others) => {
    expect(await meant(prompt)).toEqual([label]);
    expect(await notice(prompt)).toContain(`not for ${others}. Send`);
  });

  it("is outside if it can serve no part, and is requested part by part", async () => {
    expect(await refusal("sneaker, unicorn")).toMatch(
      /outside the vocabulary.*Send a prompt for each thing\.$/,
    );
  });

  it.each([
    "red, shiny cup",
    "rusty, old car",
    "orange and white cat",
    "white and orange cat",
    "black, white and grey cat",
    "young and old man",
    "man with a hat and a dog",
    "woman holding a cup and a spoon",
    "man, wearing a hat",
    "dog, which is brown",
    "St. Bernard dog",
    "AT&T phone",
    "red/white umbrella",
    "boy, girl",
    "men and women",
    "dog, Dog",
    "bed and breakfast",
    "a cup of coffee and milk",
    "cup,",
    "a dog.",
  ])("is distinguished from a prompt for one thing: %s", async (prompt) => {
    expect(await notice(prompt)).toBeUndefined();
  });

  it.each(["salt and pepper shaker", "black and white cat", "big and small dogs", "fish & chips"])(
    "is distinguished from a phrase of unknown words: %s",
    async (prompt) => {
      expect(await refusal(prompt)).not.toContain("Send a prompt for each");
    },
  );
});

describe("a prompt is outside the vocabulary", () => {
  it.each(["sky", "road", "tree", "grass", "sneaker", "face", "wall", "thing"])(
    "when no label is near: %s",
    async (prompt) => {
      expect(await refusal(prompt)).toContain(`"${prompt}" is outside the vocabulary`);
    },
  );

  it.each(["car window", "dog collar", "bottle cap", "horse saddle"])(
    "when it names a part or a belonging of a label: %s",
    async (prompt) => {
      await refusal(prompt);
    },
  );

  it.each(["hand", "cheese", "goat", "tiger"])("when it only sounds like a label: %s", async (prompt) => {
    await refusal(prompt);
  });

  it.each(["", "   ", "!?", "the", "42", "猫", "кошка"])(
    "when it holds no English noun: %j",
    async (prompt) => {
      expect(await refusal(prompt)).toContain("English nouns");
    },
  );

  it("and the nearest noun is named if one is near", async () => {
    expect(await refusal("deer")).toContain('The nearest it knows is "cow".');
  });

  it.each([78, 79, 80])("in a well-formed sentence, cut at any place: %i", async (length) => {
    const message = await refusal(`${"a".repeat(length)}${"😀".repeat(30)}`);
    expect(message).toContain('…" is outside');
    expect(message.isWellFormed()).toBe(true);
  });

  it("in a sentence of bounded length for any prompt", async () => {
    expect((await refusal("sky ".repeat(5000))).length).toBeLessThan(400);
  });
});
