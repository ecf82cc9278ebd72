import type { PulseAnswer } from '@pulse-card/contract';
import { frameOptionsOf, framePage, frameHeaders, imageOriginsOf } from './frame-page.ts';

/** Pages on a static host have the default options, because a static page can't read its query. */
const DEFAULT_OPTIONS = frameOptionsOf(new URLSearchParams());

export interface StaticFramesOptions {
  /** The address of the folder, without a trailing slash. */
  readonly publicUrl: string;
  readonly allowedOrigins: '*' | readonly string[];
  /** The hash in the name of the card's script; undefined if the script isn't built. */
  readonly scriptHash: string | undefined;
}

/** Creates pages for frames as files for a static host. */
export function staticFrames({ publicUrl, allowedOrigins, scriptHash }: StaticFramesOptions) {
  const server = { publicUrl, scriptHash, isStatic: true, isPublic: true };
  return {
    pageOf: (sourceId: string, answer: PulseAnswer): string => framePage({ sourceId, answer, server }, DEFAULT_OPTIONS),
    headersFor: (answers: readonly PulseAnswer[]): Readonly<Record<string, string>> => {
      const origins = new Set(answers.flatMap(({ pulse }) => imageOriginsOf(pulse.imageUrl)));
      return frameHeaders(allowedOrigins, [...origins]);
    },
  };
}
