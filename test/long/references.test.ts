// oxlint-disable import/no-unassigned-import -- the files are suites, which run where they are imported
/** All pictures of which the tests of the families have two, and OWL-ViT in half precision. */
import "../../inference-container/test/models/owlvit/owlvit.test.ts";
import "../../inference-container/test/reference/grounding-dino.test.ts";
import "../../inference-container/test/reference/owlvit.test.ts";
import "../../inference-container/test/reference/sam3.test.ts";
