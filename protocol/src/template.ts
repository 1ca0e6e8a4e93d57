/** The names of the `{placeholders}` in a string. */
type Placeholder<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

/** The values of a string's placeholders: the compiler requires each of them and accepts no other. */
export type Values<Text extends string> = Readonly<Record<Placeholder<Text>, string | number>>;

/** The same as a function's arguments: none if the text has no placeholder. */
export type Blanks<Text extends string> = keyof Values<Text> extends never ? [] : [values: Values<Text>];

/** The text with its placeholders filled. Braces in a value stay unchanged. */
export function fill<Text extends string>(text: Text, values: Values<Text>): string {
  const given: Readonly<Record<string, string | number>> = values;
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(given, name) ? String(given[name] ?? placeholder) : placeholder,
  );
}
