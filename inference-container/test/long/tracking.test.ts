// oxlint-disable import/no-unassigned-import -- the file is a suite, which runs where it is imported
/** The tracker in all scenes at all rates. */
import "../tracking/scenes.test.ts";
