/** What the analyzer reads: the elements, whose JSDoc names all that pages can use, and what they share. */
export default {
  globs: ['src/pulse-card.ts', 'src/board/pulse-board.ts', 'src/pulse-element.ts'],
  outdir: '.',
  packagejson: false,
};
