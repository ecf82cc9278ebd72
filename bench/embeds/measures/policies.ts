import { setTimeout as delay } from 'node:timers/promises';
import type { Embed } from '../embed.ts';
import type { Stub } from '../stub.ts';
import { visibleText } from '../visible-text.ts';
import { type Contestant, openScene } from './contestant.ts';

const WATCHED_MS = 3_000;

/** The two policies: templates allowed under Lit's name, and no Trusted Types policy at all. */
export const POLICIES = ['trusted-types lit-html', "trusted-types 'none'"] as const;

/** What became of an embed under a strict policy. */
export interface PolicyFigures {
  /** Directives that were violated, each as often as it was. */
  readonly violations: readonly string[];
  readonly uncaught: readonly string[];
  readonly warnings: number;
  readonly text: string;
}

/** Loads one instance on a page whose policy allows what the embed needs from its own origins and nothing else. */
export async function underPolicy(contestant: Contestant, trustedTypes: string): Promise<PolicyFigures> {
  await using scene = await openScene(contestant, {
    ids: ['ready-1'],
    policy: (stub) => policyFor(contestant.embed, stub, trustedTypes),
  });
  await delay(WATCHED_MS);
  const { violations } = await scene.watched.watched();
  const { errors: uncaught, warnings, page } = scene.watched;
  return { violations, uncaught, warnings: warnings.length, text: await visibleText(page) };
}

/** The policy, generous where an embed's own documentation has a style sheet, a frame or another host for images. */
function policyFor({ alsoNeeds }: Embed, { embed, images }: Stub, trustedTypes: string): string {
  return [
    `default-src 'none'`,
    `script-src ${embed}`,
    `connect-src ${embed}`,
    `img-src ${embed} ${images}`,
    ...alsoNeeds.map((directive) => `${directive} ${embed}`),
    `require-trusted-types-for 'script'`,
    trustedTypes,
  ].join('; ');
}
