/** Places the picture's rectangle on the canvas. */
export const VERTEX = `#version 300 es
uniform vec2 size;      // of the picture, in its pixels
uniform vec3 view;      // device pixels per pixel of the picture, and where its corner is
uniform vec2 canvas;    // device pixels
out vec2 at;            // in pixels of the picture
void main() {
  at = size * vec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec2 there = (at * view.x + view.yz) / canvas * 2. - 1.;
  gl_Position = vec4(there.x, -there.y, 0, 1);
}`;

/**
 * The picture, the fill of the topmost mask, and its outline: a line of some pixels of the screen at each zoom. Whether a place
 * is on an outline, and how much, is told by places on a ring around it: half of them are in the mask where its edge is.
 */
export const FRAGMENT = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
in vec2 at;
uniform vec2 size;
uniform sampler2D picture;
uniform usampler2D slots;
uniform sampler2D colours;
uniform usampler2D bits;
uniform float stepSize;     // pixels of the picture per pixel of the index map
uniform float line;         // half the width of an outline, in pixels of the picture
uniform float opacity;
uniform ivec4 box;          // of the highlighted mask: x, y, bytes per row, rows; no rows if there is none
uniform vec3 highlight;     // its colour
out vec4 colour;

const vec2 RING[8] = vec2[8](vec2(1, 0), vec2(0, 1), vec2(-1, 0), vec2(0, -1),
  vec2(.707, .707), vec2(-.707, .707), vec2(-.707, -.707), vec2(.707, -.707));

vec2 near(vec2 p) { return clamp(p, vec2(0), size - .5); }

uint slotAt(vec2 p) { return texelFetch(slots, ivec2(near(p) / stepSize), 0).r; }

bool isHighlighted(vec2 p) {
  ivec2 q = ivec2(near(p)) - box.xy;
  if (q.x < 0 || q.y < 0 || q.x >= box.z * 8 || q.y >= box.w) return false;
  return (texelFetch(bits, ivec2(q.x >> 3, q.y), 0).r & (128u >> (q.x & 7))) != 0u;
}

// Lays a mask over the colour; of the places around, "inside" (0 to 1) are in it.
void lay(vec3 tint, float inside, float fill, float edge) {
  colour.rgb = mix(colour.rgb, tint * colour.a, fill * smoothstep(.25, .75, inside));
  // A dark line outside the coloured one lets it be seen on any picture.
  colour.rgb *= 1. - edge * .45 * smoothstep(0., .22, inside) * (1. - smoothstep(.3, .5, inside));
  colour.rgb = mix(colour.rgb, tint * colour.a, edge * smoothstep(.25, .45, inside) * (1. - smoothstep(.8, 1., inside)));
}

void main() {
  colour = texture(picture, at / size);
  float strength = box.w > 0 ? .45 : 1.;
  float visible = min(1., opacity * 3.);

  uint here = slotAt(at);
  uint around[8];
  bool same = true;
  for (int i = 0; i < 4; i++) {
    around[i] = slotAt(at + RING[i] * line);
    same = same && around[i] == here;
  }
  if (!same) {
    uint slot = here;
    for (int i = 4; i < 8; i++) around[i] = slotAt(at + RING[i] * line);
    for (int i = 0; i < 8; i++) if (slot == 0u) slot = around[i];
    float inside = here == slot ? 1. : 0.;
    for (int i = 0; i < 8; i++) inside += around[i] == slot ? 1. : 0.;
    lay(texelFetch(colours, ivec2(slot & 255u, slot >> 8), 0).rgb, inside / 9., opacity * strength, visible * strength);
  } else if (here != 0u) {
    vec3 tint = texelFetch(colours, ivec2(here & 255u, here >> 8), 0).rgb;
    colour.rgb = mix(colour.rgb, tint * colour.a, opacity * strength);
  }

  if (box.w > 0) {
    float inside = isHighlighted(at) ? 1. : 0.;
    for (int i = 0; i < 8; i++) inside += isHighlighted(at + RING[i] * line * 1.4) ? 1. : 0.;
    if (inside > 0.) lay(highlight, inside / 9., min(1., opacity * 1.15), 1.);
  }
}`;
