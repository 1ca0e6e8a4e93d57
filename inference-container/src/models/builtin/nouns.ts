/** The noun table: WordNet's nouns, which the set-up reduced to the vocabulary. */

/** Label indexes by lemma. */
export type NounTable = ReadonlyMap<string, readonly number[]>;

/** Reads `lemma<TAB>index,index` lines; lines that start with "#" carry the licence. */
export function readNounTable(text: string): NounTable {
  const table = new Map<string, readonly number[]>();
  for (const line of text.split("\n")) {
    const [lemma, indexes] = line.split("\t");
    if (lemma === undefined || indexes === undefined || lemma.startsWith("#")) continue;
    table.set(lemma, indexes.split(",").map(Number));
  }
  return table;
}
