import { signal } from "@preact/signals";

/** True if the browser has a network. */
export const isOnline = signal(navigator.onLine);

for (const name of ["online", "offline"]) addEventListener(name, () => (isOnline.value = navigator.onLine));

/** False while the service doesn't answer although there is a network. */
export const isReachable = signal(true);
