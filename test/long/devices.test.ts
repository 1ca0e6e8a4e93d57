// oxlint-disable import/no-unassigned-import -- the file is a suite, which runs where it is imported
/** Devices with more pictures that crash an engine. */
import "../../inference-container/test/service/devices.test.ts";
