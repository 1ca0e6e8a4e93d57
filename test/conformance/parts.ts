import type { Part } from "./statement.ts";
import { ADDED_ENDING } from "./statements/added-ending.ts";
import { ADDED_FORMATS } from "./statements/added-formats.ts";
import { ADDED_REGIONS } from "./statements/added-regions.ts";
import { ADDED_SMALL } from "./statements/added-small.ts";
import { ADDED_WAITING } from "./statements/added-waiting.ts";
import { ADDED_WEBHOOKS } from "./statements/added-webhooks.ts";
import { BEHAVIOUR } from "./statements/behaviour.ts";
import { DECIDED_BEHAVIOUR } from "./statements/decided-behaviour.ts";
import { DECIDED_OPERATIONS } from "./statements/decided-operations.ts";
import { DECIDED_RESOURCES } from "./statements/decided-resources.ts";
import { ENDPOINTS } from "./statements/endpoints.ts";
import { RESOURCES } from "./statements/resources.ts";

/** The whole specification. */
export const PARTS: readonly Part[] = [
  { title: "What the service does, its resources", statements: RESOURCES },
  { title: "The operations", statements: ENDPOINTS },
  { title: "States, authentication, errors, limits", statements: BEHAVIOUR },
  {
    title: "What the specification leaves open",
    statements: [...DECIDED_RESOURCES, ...DECIDED_OPERATIONS, ...DECIDED_BEHAVIOUR],
  },
  {
    title: "Beyond the specification",
    statements: [
      ...ADDED_ENDING,
      ...ADDED_FORMATS,
      ...ADDED_REGIONS,
      ...ADDED_SMALL,
      ...ADDED_WAITING,
      ...ADDED_WEBHOOKS,
    ],
  },
];

/** What the specification has and the service lacks. */
export const NOT_THERE_YET: readonly string[] = [];
