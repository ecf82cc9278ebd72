/** What the analyzer reads: the element alone, whose JSDoc names all that pages can use. */
export default {
  globs: ['src/pulse-card.ts'],
  outdir: '.',
  packagejson: false,
};
