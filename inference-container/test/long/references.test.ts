// oxlint-disable import/no-unassigned-import -- the files are suites, which run where they are imported
/** All pictures of which the tests of the families have two, OWL-ViT in half precision, and the faster embedded model. */
import "../models/fetch.test.ts";
import "../models/owlvit/owlvit.test.ts";
import "../reference/grounding-dino.test.ts";
import "../reference/owlvit.test.ts";
import "../reference/rf-detr.test.ts";
import "../reference/sam3.test.ts";
