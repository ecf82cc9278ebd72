import type { Feature, Gauges } from '../../feature.ts';
import type { Problem } from '../../observability/problem.ts';

/**
 * The state of a key file. Its key is `in_use`, `untried`, or `refused`. If the key is `refused`, the previous key
 * stays in use. The other states say why the file provides no key: it is `missing`, `empty`, `unreadable`, or
 * `invalid`. In all these states, the last key stays in use.
 */
export type KeyFileState = 'in_use' | 'untried' | 'refused' | 'missing' | 'empty' | 'unreadable' | 'invalid';

/** The member `keyFile` of `/status`. */
export interface KeyFileStatus {
  readonly state: KeyFileState;
  /** How many new keys the upstream has accepted since startup. */
  readonly takenOver: number;
}

/** Reports the state of the key file to the operator. */
export function keyFileReport(status: () => KeyFileStatus): Feature {
  return {
    name: 'key-file',
    facts: (): { readonly keyFile: KeyFileStatus } => ({ keyFile: status() }),
    problems: () => keyFileProblems(status()),
    gauges: () => keyFileGauges(status()),
  };
}

/** The problems of a key file. */
function keyFileProblems({ state }: KeyFileStatus): Problem[] {
  if (state === 'in_use' || state === 'untried') return [];
  if (state === 'refused') return [REFUSED];
  return [
    {
      code: 'key_file_unusable',
      level: 'degraded',
      headline: `The key file is ${state === 'invalid' ? 'not valid' : state}. The last key stays in use.`,
      advice:
        'Write one line of 8 to 256 visible ASCII characters to the file set in PULSE_API_KEY_FILE. Until then, a restart would fail.',
    },
  ];
}

const REFUSED: Problem = {
  code: 'key_file_refused',
  level: 'degraded',
  headline: 'The service refuses the new key in the key file. The previous key stays in use.',
  advice: 'Do not revoke the previous key. Write another key to the file set in PULSE_API_KEY_FILE.',
};

/** The metrics of a key file. */
export function keyFileGauges({ state, takenOver }: KeyFileStatus): Gauges {
  return {
    key_file_usable: [
      '0 while the key file is missing, unreadable, or holds no key that works',
      Number(state === 'in_use' || state === 'untried'),
    ],
    key_takeovers_total: ['Number of new keys from the key file that the service accepted', takenOver],
  };
}
