import type { PulseAnswer } from '@pulse-card/contract';
import { frameOptionsOf, framePage, framePolicy, imageOriginsOf } from './frame-page.ts';

/** A static page can't read its query, so it has the default options. */
const DEFAULT_OPTIONS = frameOptionsOf(new URLSearchParams());

export interface StaticFramesOptions {
  /** The address of the folder, without a slash at the end. */
  readonly publicUrl: string;
  readonly allowedOrigins: '*' | readonly string[];
  /** The hash in the name of the card's script; undefined if it is not built. */
  readonly scriptHash: string | undefined;
}

/** Makes pages for frames as files for a static host. */
export function staticFrames({ publicUrl, allowedOrigins, scriptHash }: StaticFramesOptions) {
  const server = { publicUrl, scriptHash, isStatic: true, isPublic: true };
  return {
    pageOf: (sourceId: string, answer: PulseAnswer): string => framePage({ sourceId, answer, server }, DEFAULT_OPTIONS),
    headersFor: (answers: readonly PulseAnswer[]): readonly string[] => {
      const origins = new Set(answers.flatMap(({ pulse }) => imageOriginsOf(pulse.imageUrl)));
      return framePolicy(allowedOrigins, [...origins]);
    },
  };
}
