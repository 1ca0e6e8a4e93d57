/** Opens the given graph and runs it once. Closes neither that device nor a second, unused one. */
import { Device } from "../../../src/device/device.ts";
import { Usage } from "../../../src/device/usage.ts";
import { floatsOf, numbersOf } from "./runs.ts";

const [, , path = ""] = process.argv;
const device = new Device();
const options = { provider: "cpu", device: 0, cpuNodes: true, threads: 1 } as const;
const { id } = await device.load({ path, options });
const run = { graph: id, feeds: { x: floatsOf([[3, 4]]) }, outputs: ["same"], hold: false, followed: false };
const { same } = await device.run(run, new Usage());
void new Device();
if (same !== undefined && "dims" in same) console.log(numbersOf(same).join());
