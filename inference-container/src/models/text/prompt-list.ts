/** Finds the things that a prompt lists. A prompt is for one thing, but people write "cup, spoon". */
import { cutText } from "@segmentation/protocol";
import { BREAKS, wordsOf } from "./phrase.ts";
import type { UnservedPrompt } from "../model.ts";

/**
 * Marks that separate the things of a list. A slash counts between words only ("w/ handle" is no list), and a full stop
 * only after a word that is no abbreviation.
 */
const MARKS =
  /[,;|、،•\n\r\t]|(?<=\p{L}{2})\s*\/\s*(?=\p{L}{2})|(?:^|\s)\(?\d+[.)]\s|(?<!\b(?:st|mr|mrs|ms|dr|no|vs|jr|sr|mt|\p{L}))\.(?=\s|$)|(?<=\p{L}{3})\.(?=\p{L}{3})/iu;

/** Words and marks that separate things, or describe one of them: "cup and spoon", but "black and white cat". */
const CONJUNCTIONS = /\s+(?:and|or|plus|as well as|along with|together with|[-–—*·>→])\s+|\s*[&+]\s*/iu;

/** Marks and words around a part of a list that do not belong to the thing. */
const AROUND =
  /^(?:[^\p{L}\p{N}]|(?:and|or|plus)(?![\p{L}\p{N}]))+|(?:[^\p{L}\p{N}]|(?<![\p{L}\p{N}])(?:and|or))+$/giu;

/** Words that describe a thing, and name none alone. */
const ATTRIBUTES = new Set(
  (
    "black white gray grey red green blue yellow brown purple pink beige golden silver dark light bright pale colorful " +
    "colourful big large huge small little tiny tall short long wide narrow thin thick fat round square old new young " +
    "wooden metal plastic leather shiny furry fluffy hairy dirty clean empty full open closed broken wet dry hot cold " +
    "striped spotted ripe left right upper lower front back male female adult"
  ).split(" "),
);

/** Endings that only describing words have. */
const ATTRIBUTE_ENDING = /\p{L}{3}(?:ed|ful|less|ous)$/u;

/** A color that is a fruit, too: "orange, white cat", but "orange, banana". */
const isAttribute = (word: string, isFollowed: boolean): boolean =>
  ATTRIBUTES.has(word) ||
  word === "and" ||
  word === "or" ||
  (isFollowed && (word === "orange" || ATTRIBUTE_ENDING.test(word)));

/** True if a part of a prompt only describes the thing before or after it. */
function describes(part: string, next: string | undefined): boolean {
  const words = wordsOf(part);
  const isFollowed = next !== undefined && wordsOf(next).length > 1;
  return BREAKS.has(words[0] ?? "") || words.every((word) => isAttribute(word, isFollowed));
}

const things = (parts: readonly string[]): string[] => {
  const named = parts.map((part) => part.replaceAll(AROUND, "")).filter((part) => /\p{L}/u.test(part));
  return named.filter((part, i) => !describes(part, named[i + 1]));
};

/** The things in a prompt that commas and the like separate. */
export const thingsByMarks = (prompt: string): string[] =>
  things(
    prompt
      .normalize("NFKC")
      .replaceAll(/\band\s*\/\s*or\b/giu, "or")
      .split(MARKS),
  );

/** Tells whether a description follows the noun: in "man with a hat and a dog", the dog belongs to it. */
const isDescribed = (part: string): boolean =>
  wordsOf(part)
    .slice(1)
    .some((word) => BREAKS.has(word) && word !== "of");

/** The things in a part of a prompt that "and" and the like separate, if all of them are things. */
export function thingsByWords(part: string): string[] {
  const separated: string[] = [];
  for (const each of part.split(CONJUNCTIONS)) {
    const last = separated.at(-1);
    if (last !== undefined && isDescribed(last) && !isDescribed(each))
      separated[separated.length - 1] = `${last} and ${each}`;
    else separated.push(each);
  }
  return things(separated);
}

const MOST_NAMED = 5;
const QUOTED_CHARACTERS = 80;

export const quote = (text: string): string =>
  `"${cutText(text.trim().replaceAll(/\s+/g, " "), QUOTED_CHARACTERS)}"`;

/** Things in quotation marks: `"cup", "spoon" and 3 more`. */
export function quoteAll(named: readonly string[]): string {
  const more = named.length - MOST_NAMED;
  const quoted = named.slice(0, MOST_NAMED).map(quote).join(", ");
  return more > 0 ? `${quoted} and ${more} more` : quoted;
}

export const ONE_EACH = "Send a prompt for each thing.";

/** The prompts that list several things, for a model that takes each prompt as one phrase. */
export const severalThings = (prompts: readonly string[]): UnservedPrompt[] =>
  prompts.flatMap((prompt, promptIndex) => {
    const named = thingsByMarks(prompt);
    if (new Set(named.map((thing) => thing.toLowerCase())).size < 2) return [];
    const message = `The prompt ${quote(prompt)} was looked for as one phrase, not as ${quoteAll(named)}. ${ONE_EACH}`;
    return [{ promptIndex, message, isPart: true }];
  });
