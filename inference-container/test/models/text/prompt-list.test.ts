import { expect, it } from "vitest";
import { severalThings } from "../../../src/models/text/prompt-list.ts";

it.each([
  ["cup, spoon", '"cup", "spoon"'],
  ["cup . spoon .", '"cup", "spoon"'],
  ["cup;spoon|fork/knife\nplate", '"cup", "spoon", "fork", "knife", "plate"'],
  ["a red cup, and the spoon on it", '"a red cup", "the spoon on it"'],
  ["猫、犬", '"猫", "犬"'],
  ["a, b, c, d, e, f", '"a", "b", "c", "d", "e" and 1 more'],
])("a notice says that a model for any phrase took %j as one", (prompt, things) => {
  expect(severalThings(["cat", prompt])).toEqual([
    {
      promptIndex: 1,
      message: expect.stringContaining(`one phrase, not as ${things}. Send a prompt for`),
      isPart: true,
    },
  ]);
});

it.each([
  "cat",
  "black and white cat",
  "salt and pepper shaker",
  "large, striped cat",
  "cat, sleeping",
  "man, wearing a hat",
  "St. Bernard",
  "U.S. flag",
  "3.5 inch disk",
  "cup w/ handle",
  "cat.",
  "cup, cup",
  ", ;",
])("and nothing is said of %j", (prompt) => {
  expect(severalThings([prompt]).map(({ message }) => message)).toEqual([]);
});
