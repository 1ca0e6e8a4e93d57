const numbers = new Intl.NumberFormat("en");

/** A number with its separators: 12,345. */
export const numberText = (value: number): string => numbers.format(value);

/** So many of something: "1 picture", "1,204 pictures". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`;
