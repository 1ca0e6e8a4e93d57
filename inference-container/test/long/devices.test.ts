// oxlint-disable import/no-unassigned-import -- the file is a suite, which runs where it is imported
/** Devices with more pictures that crash an engine. */
import "../service/devices.test.ts";
