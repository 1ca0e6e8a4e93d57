/** Turns a person's prompt into the noun phrases to look up; English only, like the vocabulary. */

const MAX_WORDS = 32;

/** Words before a noun that say how many or which; "of" is for "all of the". */
const DETERMINERS = new Set(
  (
    "a an the of all every each any some this that these those my your his her our their its both another other " +
    "one two three four five six seven eight nine ten many several few"
  ).split(" "),
);

/** "A slice of pizza" means the pizza. */
const MEASURES = new Set(
  (
    "piece slice pair bunch group herd flock crowd lot couple set number stack pile row team " +
    "picture photo photograph image view"
  ).split(" "),
);

/** Words that begin a description of the noun before them: "man with a hat", "cat sleeping". */
export const BREAKS = new Set(
  (
    "of in on at with without by near under over behind beside between against from for to and or that which who whose " +
    "wearing holding riding sitting standing lying sleeping running walking carrying eating playing"
  ).split(" "),
);

const IRREGULAR_PLURALS = new Map([
  ["people", "person"],
  ["children", "child"],
  ["mice", "mouse"],
  ["oxen", "ox"],
  ["geese", "goose"],
]);

/** The endings of regular plurals and their replacements, as WordNet's lemmatiser detaches them. */
const PLURAL_ENDINGS: readonly (readonly [string, readonly string[]])[] = [
  ["men", ["man"]],
  ["ives", ["ife"]],
  ["ves", ["f", "ve"]],
  ["ies", ["y", "ie"]],
  ["sses", ["ss"]],
  ["ses", ["s", "se"]],
  ["xes", ["x"]],
  ["zes", ["z", "ze"]],
  ["ches", ["ch", "che"]],
  ["shes", ["sh"]],
  ["oes", ["o", "oe"]],
  ["s", [""]],
];

/** The words of a prompt, in lower case. */
export const wordsOf = (prompt: string): string[] =>
  prompt
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[’ʼ]/g, "'")
    .split(/[^\p{L}\p{N}'-]+/u)
    .map((word) => word.replaceAll(/^['-]+|['-]+$/g, ""))
    .filter((word) => word !== "");

/** The words of the noun phrase in a prompt: lower case, without determiners, measures or the words after a break. */
export const phraseWords = (prompt: string): string[] => nounPhrase(wordsOf(prompt).slice(0, MAX_WORDS));

function nounPhrase(words: readonly string[]): string[] {
  const from = words.findIndex((word) => !DETERMINERS.has(word) && !/^\d+$/.test(word));
  if (from < 0) return [];
  const rest = words.slice(from);
  const end = rest.findIndex((word, i) => i > 0 && BREAKS.has(word));
  if (end < 0) return rest;
  const isMeasure =
    rest[end] === "of" && singularForms(rest[end - 1] ?? "").some((word) => MEASURES.has(word));
  const measured = isMeasure ? nounPhrase(rest.slice(end + 1)) : [];
  return measured.length > 0 ? measured : rest.slice(0, end);
}

/** A word or phrase, then the same with each possible singular of its last word. */
export function singularForms(phrase: string): string[] {
  const at = phrase.lastIndexOf(" ") + 1;
  const [before, word] = [phrase.slice(0, at), phrase.slice(at)];
  const irregular = IRREGULAR_PLURALS.get(word);
  if (irregular !== undefined) return [phrase, before + irregular];
  const rule = /[^s]s$|men$/.test(word)
    ? PLURAL_ENDINGS.find(([ending]) => word.endsWith(ending))
    : undefined;
  if (rule === undefined) return [phrase];
  const [ending, singulars] = rule;
  return [
    phrase,
    ...singulars.map((singular) => before + word.slice(0, word.length - ending.length) + singular),
  ];
}

/** The phrase, then the phrase without its first word, and so on down to its head noun. */
export function narrowing(words: readonly string[]): string[] {
  return words.map((_, from) => words.slice(from).join(" "));
}
