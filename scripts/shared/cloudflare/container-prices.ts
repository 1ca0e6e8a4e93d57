/** Cloudflare's instance types that have memory for the embedded model. */
export const INSTANCE_TYPES = {
  "standard-2": { cpus: 1, gib: 6, diskGb: 12 },
  "standard-3": { cpus: 2, gib: 8, diskGb: 16 },
  "standard-4": { cpus: 4, gib: 12, diskGb: 20 },
} as const;

export type InstanceType = keyof typeof INSTANCE_TYPES;

export const isInstanceType = (name: string): name is InstanceType => Object.hasOwn(INSTANCE_TYPES, name);

const HOUR = 3_600;

/** List prices of Cloudflare Containers: the included amount of a month, and the price of each further unit. */
export const CONTAINER_PRICES = {
  cpuSeconds: { included: 375 * 60, dollars: 0.00002 },
  gibSeconds: { included: 25 * HOUR, dollars: 0.0000025 },
  gbSeconds: { included: 200 * HOUR, dollars: 0.00000007 },
} as const;

/** Processor time of a new picture with the embedded model, measured on another machine: docs/limits.md. */
export const PICTURE_CPU_SECONDS = 10.2;

/** Returns the list prices of an instance in dollars: of an hour awake without and with work, and of 1,000 new pictures in a row. */
export function containerCosts(type: InstanceType): { awake: number; busy: number; thousand: number } {
  const { cpus, gib, diskGb } = INSTANCE_TYPES[type];
  const { cpuSeconds, gibSeconds, gbSeconds } = CONTAINER_PRICES;
  const second = gib * gibSeconds.dollars + diskGb * gbSeconds.dollars;
  const thousand = 1_000 * PICTURE_CPU_SECONDS;
  return {
    awake: HOUR * second,
    busy: HOUR * (second + cpus * cpuSeconds.dollars),
    thousand: thousand * cpuSeconds.dollars + (thousand / cpus) * second,
  };
}

const dollars = (n: number): string => `$${n.toFixed(2)}`;

/** Returns the costs of an instance in a sentence. */
export function costSentence(type: InstanceType): string {
  const { awake, busy, thousand } = containerCosts(type);
  return `${type}: ${dollars(awake)} per hour awake, ${dollars(busy)} per hour at work, ${dollars(thousand)} per 1,000 new pictures with the embedded model; asleep nothing`;
}
