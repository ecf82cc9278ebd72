/** A word that only this project used, and the standard one. */
export interface PrivateWord {
  readonly word: string;
  readonly use: string;
  /** Whether it is an ordinary word of English, which only names may not use. */
  readonly isEnglish?: boolean;
}

/** Words of the BFF's past; `docs/` and comments may use those that are ordinary English. */
export const PRIVATE_WORDS: readonly PrivateWord[] = [
  { word: 'crew', use: 'cluster' },
  { word: 'crowd', use: 'demand, audience' },
  { word: 'ledger', use: 'call budget' },
  { word: 'payer', use: 'bucket' },
  { word: 'stranger', use: 'unknown id' },
  { word: 'strangers', use: 'unknown ids' },
  { word: 'tenant', use: 'key namespace' },
  { word: 'seal', use: 'sign, signature' },
  { word: 'sealed', use: 'signed' },
  { word: 'fence', use: 'fencing token' },
  { word: 'spoilt', use: 'invalid reply, corrupted' },
  { word: 'aboard', use: 'flight context' },
  { word: 'landed', use: 'result, settled' },
  { word: 'promptness', use: 'on-time ratio' },
  { word: 'asker', use: 'fetcher' },
  { word: 'asking', use: 'fetch request', isEnglish: true },
  { word: 'mishap', use: 'injected fault' },
  { word: 'tellings', use: 'deliveries' },
  { word: 'exposure', use: 'field policy' },
  { word: 'glance', use: 'peek' },
  { word: 'forgive', use: 'clear' },
  { word: 'wary', use: 'uncertain' },
  { word: 'purse', use: 'budget' },
  { word: 'nap', use: 'sleep' },
  { word: 'barrier', use: 'circuit open' },
  { word: 'obstacle', use: 'blocked reason' },
  { word: 'beat', use: 'heartbeat, periodic task', isEnglish: true },
  { word: 'came', use: 'fetch success, received', isEnglish: true },
  { word: 'gone', use: 'disconnected, ended', isEnglish: true },
  { word: 'hear', use: 'receive, listener', isEnglish: true },
  { word: 'heard', use: 'listener, received', isEnglish: true },
  { word: 'kept', use: 'cached, stored', isEnglish: true },
  { word: 'leads', use: 'is leader', isEnglish: true },
  { word: 'least', use: 'min', isEnglish: true },
  { word: 'longest', use: 'max', isEnglish: true },
  { word: 'met', use: 'discovered', isEnglish: true },
  { word: 'most', use: 'max', isEnglish: true },
  { word: 'news', use: 'changes, update', isEnglish: true },
  { word: 'patience', use: 'timeout', isEnglish: true },
  { word: 'resting', use: 'backing off, open', isEnglish: true },
  { word: 'rests', use: 'backoffs', isEnglish: true },
  { word: 'shortest', use: 'min', isEnglish: true },
  { word: 'shown', use: 'displayed, view', isEnglish: true },
  { word: 'silent', use: 'timed out', isEnglish: true },
  { word: 'told', use: 'logged, sent', isEnglish: true },
  { word: 'trouble', use: 'degraded reason', isEnglish: true },
  { word: 'verdict', use: 'result, freshness', isEnglish: true },
];
