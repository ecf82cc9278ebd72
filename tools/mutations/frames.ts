import type { Mutation } from './mutation.ts';

/** What keeps frames to themselves. */
export const FRAME_MUTATIONS: readonly Mutation[] = [
  {
    name: 'who may frame the page is named',
    threats: ['T-45'],
    from: '`frame-ancestors ${ancestors}`,',
    to: '',
  },
  {
    name: 'the page for a frame loads its own files alone',
    threats: ['T-45'],
    from: '"default-src \'none\'",',
    to: '"default-src *",',
  },
  {
    name: 'a frame is as high as is sensible',
    threats: ['T-46'],
    from: 'Math.min(HEIGHT_PX.most, Math.max(HEIGHT_PX.least, height))',
    to: 'height',
  },
  {
    name: 'a frame is resized by its own page alone',
    threats: ['T-46'],
    from: 'find(({ contentWindow }) => contentWindow === event.source)',
    to: 'find(({ contentWindow }) => contentWindow !== null)',
  },
];
