import { matchLanguage, VARIANTS, type Variant } from '@pulse-card/widget/server';

/** What a page for a frame can be asked for: each out of a closed list. */
export interface FrameOptions {
  readonly variant: Variant;
  readonly theme: 'auto' | 'light' | 'dark';
  readonly language: string;
}

const THEMES = ['auto', 'light', 'dark'] as const;

/** The options that `query` names; what is unknown is ignored. */
export function frameOptionsOf(query: URLSearchParams): FrameOptions {
  return {
    variant: VARIANTS.find((variant) => variant === query.get('variant')) ?? 'card',
    theme: THEMES.find((theme) => theme === query.get('theme')) ?? 'auto',
    language: matchLanguage(query.get('lang') ?? '') ?? 'en',
  };
}
