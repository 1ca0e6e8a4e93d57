import type { ModelDescription, TaskRequest } from "@segmentation/protocol";

/** Returns true if a prompt is a label of a closed vocabulary. Synonyms, which only the service knows, do not count. */
const isLabel = (labels: readonly string[], prompt: string): boolean =>
  labels.some((label) => label.toLowerCase() === prompt.trim().toLowerCase());

function drawsRegions({ regions: draws }: ModelDescription, task: TaskRequest): boolean {
  const { regions = [] } = task;
  if (task.type === "video" && regions.length > 0 && !draws.clips) return false;
  return regions.every((region) => {
    const isExample = "findAll" in region;
    if (isExample && !draws.examples) return false;
    return "box" in region ? draws.box || isExample : draws.points;
  });
}

/** Returns true if a model has all that a task asks for, apart from words: its type, regions and formats. */
function drawsAndWrites(model: ModelDescription, task: TaskRequest): boolean {
  const { formats, capabilities } = model;
  const wanted = task.formats?.wanted ?? [];
  return (
    capabilities.types.includes(task.type) &&
    drawsRegions(model, task) &&
    wanted.every((format) => formats.includes(format))
  );
}

const knowsWords = ({ vocabulary }: ModelDescription, task: TaskRequest): boolean =>
  vocabulary === "open" || task.prompts.every((prompt) => isLabel(vocabulary, prompt));

/**
 * Returns the pools to offer a task to, in their order: those whose model has all that it asks for, else those that lack only
 * words, which they may know as synonyms, else all. A pool that has never described its model may have all but unusual words.
 */
export function fittest<State extends { readonly model: ModelDescription | null }>(
  states: readonly State[],
  task: TaskRequest,
): readonly State[] {
  const able = states.filter(({ model }) => model === null || drawsAndWrites(model, task));
  const perfect = able.filter(({ model }) => model !== null && knowsWords(model, task));
  return [perfect, able, states].find((each) => each.length > 0) ?? [];
}

const distinct = <Value>(values: readonly Value[]): Value[] => [...new Set(values)];

/** The decoder of all models that return embeddings; none if two differ, because a client could not tell their embeddings apart. */
function commonDecoder(models: readonly ModelDescription[]): Pick<ModelDescription, "decoder"> {
  const [first, ...others] = models.flatMap(({ decoder }) => decoder ?? []);
  return first !== undefined && others.every(({ sha256 }) => sha256 === first.sha256)
    ? { decoder: first }
    : {};
}

/** Describes several models as one, with the abilities of any of them and the names of all. */
export function unionOf(models: readonly [ModelDescription, ...ModelDescription[]]): ModelDescription {
  const [first] = models;
  const named = (name: (model: ModelDescription) => string): string => distinct(models.map(name)).join("+");
  const some = (has: (model: ModelDescription) => boolean): boolean => models.some(has);
  const isOpen = some(({ vocabulary }) => vocabulary === "open");
  return {
    protocol: first.protocol,
    id: named(({ id }) => id),
    version: named(({ version }) => version),
    family: named(({ family }) => family),
    provider: named(({ provider }) => provider),
    vocabulary: isOpen ? "open" : distinct(models.flatMap(({ vocabulary }) => vocabulary)),
    attributes: some(({ attributes }) => attributes),
    regions: {
      box: some(({ regions }) => regions.box),
      points: some(({ regions }) => regions.points),
      clips: some(({ regions }) => regions.clips),
      examples: some(({ regions }) => regions.examples),
    },
    formats: distinct(models.flatMap(({ formats }) => formats)),
    ...commonDecoder(models),
    capabilities: {
      types: distinct(models.flatMap(({ capabilities }) => capabilities.types)),
      preview: some(({ capabilities }) => capabilities.preview),
    },
  };
}
