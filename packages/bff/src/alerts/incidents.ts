import { type KeyExpiry, expiryWords } from './key-expiry.ts';

/** How long the service may be down before it is an alert, in ms. */
const DOWN_FOR_MS = 600_000;

/** Days before its end at which a key is an alert. */
const DAYS_BEFORE_END = [1, 7, 15] as const;

/** Longest name in a message, in characters. */
const MAX_NAME = 80;

/** Something that an operator should know before readers notice. */
export interface Incident {
  /** What it is about: there is at most one incident of a topic. */
  readonly topic: string;
  /** Grows worse with the same topic, as days run out: each stage is sent once. */
  readonly stage: string;
  readonly text: string;
  /** What is sent when it is over. */
  readonly over: string;
}

/** What incidents are made of. */
export interface IncidentFacts {
  readonly expiry: KeyExpiry | undefined;
  /** The service refuses the key in use. */
  readonly isKeyRefused: boolean;
  /** The service refuses the key that was written last to the key file; the one before stays in use. */
  readonly isNewKeyRefused: boolean;
  /** How long no host of the service has answered; 0 while one does. */
  readonly downForMs: number;
  readonly brokenSources: readonly { readonly sourceId: string; readonly name: string | null }[];
}

/** The incidents that are there now. */
export function incidentsOf(facts: IncidentFacts): Incident[] {
  return [...keyIncidents(facts), ...serviceIncidents(facts), ...facts.brokenSources.map(brokenSource)];
}

function keyIncidents({ expiry, isKeyRefused, isNewKeyRefused }: IncidentFacts): Incident[] {
  const stage = expiry && DAYS_BEFORE_END.find((days) => expiry.inDays <= days);
  return [
    ...(stage === undefined ? [] : [keyEnds(expiry, String(stage))]),
    ...(isKeyRefused ? [keyRefused('in use', 'The service refuses the API key. Make a new key')] : []),
    ...(isNewKeyRefused && !isKeyRefused
      ? [keyRefused('new', 'The service refuses the new API key; the one before stays in use. Make another key')]
      : []),
  ];
}

function keyEnds(expiry: KeyExpiry | undefined, stage: string): Incident {
  return {
    topic: 'key_ends',
    stage,
    text: `The API key ends ${expiry === undefined ? 'soon' : expiryWords(expiry)}. Make a new key and put it in its place.`,
    over: 'The API key that was about to end is no longer in use.',
  };
}

function keyRefused(stage: string, text: string): Incident {
  return { topic: 'key_refused', stage, text: `${text}.`, over: 'The service accepts the API key.' };
}

function serviceIncidents({ downForMs }: IncidentFacts): Incident[] {
  if (downForMs < DOWN_FOR_MS) return [];
  return [
    {
      topic: 'service_down',
      stage: 'down',
      text: `The service has not answered for ${Math.floor(downForMs / 60_000)} minutes. Readers keep the last charts.`,
      over: 'The service answers again.',
    },
  ];
}

function brokenSource({ sourceId, name }: IncidentFacts['brokenSources'][number]): Incident {
  const words = safeName(name ?? sourceId);
  return {
    topic: `source ${sourceId}`,
    stage: 'BROKEN',
    text: `The source "${words}" is BROKEN: it gets no new charts.`,
    over: `The source "${words}" is no longer BROKEN.`,
  };
}

/**
 * A name that others chose, for a chat: one line of at most 80 characters in which nothing is a mention, a link or markup.
 * Slack reads `&`, `<` and `>`; Mattermost and Teams read Markdown and `@channel`.
 */
export function safeName(name: string): string {
  const line = name
    .replaceAll(/[\p{Z}\s]+/gu, ' ')
    .replaceAll(/\p{C}/gu, '')
    .trim();
  const letters = Array.from(line);
  const cut = letters.length > MAX_NAME ? `${letters.slice(0, MAX_NAME - 1).join('')}…` : line;
  return cut.replaceAll(/[&<>]/g, (letter) => ENTITIES[letter] ?? '').replaceAll(/[@#[\]()*_~`|\\:!]/g, `$&${SPLIT}`);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A zero-width space: what follows a sign of markup is no longer part of it. */
const SPLIT = '\u200B';
