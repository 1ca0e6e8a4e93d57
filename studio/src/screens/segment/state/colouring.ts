import type { History } from "../../../workspace/rules/edit-history.ts";
import { maskColour, objectColour, Palette, paletteBeside, paletteOf } from "../../../viewer/colours.ts";
import type { Colour } from "../../../viewer/types.ts";
import type { Instance } from "../../../workspace/rules/instances.ts";

/** An object that was pointed at, as it was drawn first, so that no correction changes its colour. */
export interface PointedInstance {
  readonly instance: Instance;
  /** The number of its first attempt. */
  readonly at: number;
}

/** Inputs of the colors of a picture's objects. */
export interface Coloured {
  /** Objects that the search has found, before any edit. */
  readonly found: readonly Instance[];
  readonly pointed: readonly PointedInstance[];
  readonly edits: History;
  /** Labels of objects: first the prompts, then the names that people gave. */
  readonly labels: readonly string[];
  /** Number of labels that are prompts. */
  readonly prompts: number;
  /** True for a color by object, false for shades of one color by label. */
  readonly isByObject: boolean;
}

/**
 * The colors of a picture's objects, as different as possible from each other and from the background under each. An object keeps its own
 * whatever a person changes, because those that come later are given theirs later.
 */
export function coloursOf(coloured: Coloured): (instance: Instance) => Colour {
  const own = coloured.isByObject
    ? inOrder(coloured, coloured.found, new Palette())
    : colouredByLabel(coloured);
  return ({ object, label, number }) => {
    const place = label === null ? -1 : coloured.labels.indexOf(label);
    // Of another search only its label is known here.
    const usual = () =>
      place < 0 ? objectColour(number - 1) : maskColour(place, number - 1, coloured.prompts);
    return own(object, label, number) ?? usual();
  };
}

type Own = (object: string, label: string | null, number: number) => Colour | undefined;

/** In their order: found objects, then pointed ones, then split-off parts. */
function inOrder(
  { pointed, edits, found: all }: Coloured,
  found: readonly Instance[],
  palette: Palette,
): Own {
  const split = edits.done.flatMap(({ edit, after }) =>
    edit.type === "split"
      ? edit.others.map((object) => ({ object, under: underOf(edit.object), at: after + 0.5 }))
      : [],
  );
  function underOf(object: string): Instance["under"] {
    // A part's name comes from the object that it was split off.
    return all.find((instance) => object === instance.object || object.startsWith(`${instance.object}~`))
      ?.under;
  }
  const later = [...pointed.map(({ instance, at }) => ({ ...instance, at })), ...split];
  const colours = new Map<string, Colour>();
  for (const { object, under } of [...found, ...later.toSorted((a, b) => a.at - b.at)])
    colours.set(object, palette.next(under));
  return (object) => colours.get(object);
}

/** Those of a label by their numbers, which nothing changes; those without one in the order in which they came. */
function colouredByLabel(coloured: Coloured): Own {
  const { found, labels, prompts } = coloured;
  const others = found.filter(({ label }) => label === null);
  const alone = inOrder(coloured, others, paletteBeside(prompts));
  const palettes = new Map<string, { readonly palette: Palette; readonly colours: Colour[] }>();
  return (object, label, number) => {
    if (label === null) return alone(object, label, number);
    const known = palettes.get(label) ?? {
      palette: paletteOf(Math.max(0, labels.indexOf(label)), prompts),
      colours: [],
    };
    palettes.set(label, known);
    const there = found.filter((instance) => instance.label === label);
    for (let next = known.colours.length + 1; next <= number; next++)
      known.colours.push(known.palette.next(there.find((instance) => instance.number === next)?.under));
    return known.colours[number - 1];
  };
}
