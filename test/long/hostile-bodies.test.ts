import "../unit/http/hostile-bodies.test.ts";
