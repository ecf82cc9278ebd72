import type { Mutation } from './mutation.ts';

const PARENT = 'packages/widget/src/frame/frame-parent.ts';
const PARENT_TEST = 'packages/widget/src/testing/frame.browser.ts';
const EMBED_TEST = 'packages/bff/src/embed/embed-route.test.ts';

/** What keeps frames to themselves. */
export const FRAME_MUTATIONS: readonly Mutation[] = [
  {
    name: 'who may frame the page is named',
    threats: ['T-45'],
    file: 'packages/bff/src/embed/frame-policy.ts',
    from: '`frame-ancestors ${ancestors}`,',
    to: '',
    tests: [EMBED_TEST],
  },
  {
    name: 'the page for a frame loads its own files alone',
    threats: ['T-45'],
    file: 'packages/bff/src/embed/frame-policy.ts',
    from: '"default-src \'none\'",',
    to: '"default-src *",',
    tests: [EMBED_TEST],
  },
  {
    name: 'a frame is as high as is sensible',
    threats: ['T-46'],
    file: PARENT,
    from: 'Math.min(HEIGHT_PX.most, Math.max(HEIGHT_PX.least, height))',
    to: 'height',
    tests: [PARENT_TEST],
  },
  {
    name: 'a frame is resized by its own page alone',
    threats: ['T-46'],
    file: PARENT,
    from: 'find(({ contentWindow }) => contentWindow === event.source)',
    to: 'find(({ contentWindow }) => contentWindow !== null)',
    tests: [PARENT_TEST],
  },
];
