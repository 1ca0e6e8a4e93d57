// oxlint-disable import/no-unassigned-import -- the files are suites, which run where they are imported
/** All pictures of which the tests of the families have two, and OWL-ViT in half precision. */
import "../models/owlvit/owlvit.test.ts";
import "../reference/grounding-dino.test.ts";
import "../reference/owlvit.test.ts";
import "../reference/sam3.test.ts";
