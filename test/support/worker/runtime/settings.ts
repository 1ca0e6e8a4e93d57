import { onTestFinished } from "vitest";
import type { Settings } from "../../../../src/settings.ts";
import { home } from "./databases.ts";

/** Changes the Worker's settings until the test has ended. The Worker shares this isolate, and so its platform. */
export function overrideSettings(changes: Partial<Settings>): void {
  const { settings } = home.platform;
  const before = { ...settings };
  Object.assign(settings, changes);
  onTestFinished(() => {
    for (const name of Object.keys(changes)) Reflect.deleteProperty(settings, name);
    Object.assign(settings, before);
  });
}
