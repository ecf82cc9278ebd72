/** A look for the card: values for its custom properties, and the kind of page that the look fits. */
export interface Theme {
  readonly id: string;
  readonly title: string;
  /** The `theme` of the card: `light` or `dark` if the page has only this color scheme, otherwise `auto`. */
  readonly scheme: 'auto' | 'light' | 'dark';
  readonly properties: Readonly<Record<string, string>>;
}

/** Four looks that need only custom properties. The tests provide the fonts. */
export const THEMES: readonly Theme[] = [
  {
    id: 'default',
    title: 'Default',
    scheme: 'auto',
    properties: {},
  },
  {
    id: 'news',
    title: 'News site',
    scheme: 'light',
    properties: {
      '--pulse-card-font-family': "'Source Serif 4 Variable', Charter, Georgia, serif",
      '--pulse-card-background': '#fffdf8',
      '--pulse-card-color': '#1b1813',
      '--pulse-card-muted': '#665d50',
      '--pulse-card-border': '#1b1813',
      '--pulse-card-surface': '#f3ede1',
      '--pulse-card-accent': '#9b1c1c',
      '--pulse-card-plate': '#fffdf8',
      '--pulse-card-radius': '0',
      '--pulse-card-radius-inner': '0',
    },
  },
  {
    id: 'admin',
    title: 'Admin portal',
    scheme: 'dark',
    properties: {
      '--pulse-card-background': '#16202e',
      '--pulse-card-color': '#e6edf5',
      '--pulse-card-muted': '#93a4b8',
      '--pulse-card-border': '#26364a',
      '--pulse-card-surface': '#1e2b3c',
      '--pulse-card-accent': '#5cc8ff',
      '--pulse-card-padding': '0.875em',
      '--pulse-card-radius': '4px',
      '--pulse-card-radius-inner': '2px',
    },
  },
  {
    id: 'magazine',
    title: 'Magazine',
    scheme: 'light',
    properties: {
      '--pulse-card-font-family': "'Nunito Sans Variable', 'Avenir Next', Avenir, sans-serif",
      '--pulse-card-background': '#fffaf0',
      '--pulse-card-color': '#2c2a22',
      '--pulse-card-muted': '#6a6350',
      '--pulse-card-border': '#eaddc2',
      '--pulse-card-surface': '#f5ebd6',
      '--pulse-card-accent': '#1d6b45',
      '--pulse-card-plate': '#fffaf0',
      '--pulse-card-padding': '1.5em',
      '--pulse-card-radius': '28px',
      '--pulse-card-radius-inner': '16px',
    },
  },
];
