import type { PulseAnswer } from '@pulse-card/contract';
import { frameOptionsOf } from '../embed/frame-options.ts';
import { framePage, type FrameServer } from '../embed/frame-page.ts';
import { imageOriginsOf } from '../embed/frame-policy.ts';

/** What a page is asked for by an address that asks for nothing: a file can't tell. */
const PLAIN = frameOptionsOf(new URLSearchParams());

/** The file of the page for frames of a source: simple hosts add the ending, `_headers` knows the path without. */
export function framePath(sourceId: string): string {
  return `embed/${sourceId}.html`;
}

/** The page for frames of a source, with addresses of `server`. */
export function frameText(sourceId: string, { pulse, source, meta }: PulseAnswer, server: FrameServer): string {
  return framePage({ sourceId, ...meta, pulse, source }, PLAIN, { ...server, isStatic: true });
}

/** The origins that charts of `answers` come from, each once. */
export function imageOriginsIn(answers: readonly PulseAnswer[]): readonly string[] {
  return [...new Set(answers.flatMap(({ pulse }) => imageOriginsOf(pulse.imageUrl)))];
}
