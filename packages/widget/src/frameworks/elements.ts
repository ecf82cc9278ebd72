/** What frameworks must know of each element; made from the manifest by `node manifest.ts`. */
export const ELEMENTS = {
  'pulse-card': {
    attributes: {
      sourceId: 'source-id',
      baseUrl: 'base-url',
      variant: 'variant',
      open: 'open',
      live: 'live',
      loading: 'loading',
      headingLevel: 'heading-level',
      theme: 'theme',
    },
    properties: ['pulse', 'token', 'tokenProvider'],
    events: {
      onPulseLoad: 'pulse-load',
      onPulseUpdate: 'pulse-update',
      onPulseError: 'pulse-error',
      onPulseToggle: 'pulse-toggle',
    },
  },
  'pulse-board': {
    attributes: {
      provider: 'provider',
      columns: 'columns',
      baseUrl: 'base-url',
      variant: 'variant',
      loading: 'loading',
      live: 'live',
      headingLevel: 'heading-level',
      theme: 'theme',
    },
    properties: ['token', 'tokenProvider'],
    events: {
      onPulseBoardLoad: 'pulse-board-load',
      onPulseError: 'pulse-error',
    },
  },
} as const;
