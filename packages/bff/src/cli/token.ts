import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { explainToken, MAX_LIFE_SECONDS, type MintingKey, mintToken, type TokenExplanation } from '@pulse-card/token';
import { ConfigError, publicUrlOf, readSettings } from '../config/config.ts';
import { type Variables, variables } from '../config/variables.ts';
import { readTokenKeys, tokenVariables } from '../features/tokens/token-keys-file.ts';

/** The options of `pulse-bff token mint`. */
export interface MintOptions {
  readonly source?: readonly string[];
  readonly allSources?: boolean;
  readonly origin?: readonly string[];
  readonly subject?: string;
  readonly lifetime?: string;
  readonly kid?: string;
  /** A file that contains an Ed25519 private key, as PEM. */
  readonly privateKey?: string;
}

/** The default lifetime of a token. */
const DEFAULT_LIFE_SECONDS = 300;

const { PORT, PULSE_PUBLIC_URL } = variables;

const TABLE = { PORT, PULSE_PUBLIC_URL, ...tokenVariables };

/** Mints a token for the BFF that the environment describes. Throws a `ConfigError` that explains what is wrong. */
export async function mintTokenFor(environment: Variables, options: MintOptions): Promise<string> {
  const settings = readSettings(environment, TABLE);
  if (options.source === undefined && options.allSources !== true)
    throw new ConfigError(['Specify --source or --all-sources']);
  const lifeSeconds = Number(options.lifetime ?? DEFAULT_LIFE_SECONDS);
  if (!(Number.isInteger(lifeSeconds) && lifeSeconds >= 1 && lifeSeconds <= MAX_LIFE_SECONDS))
    throw new ConfigError([`--lifetime: must be a whole number from 1 to ${MAX_LIFE_SECONDS}`]);
  const key = await keyOf(options, settings.PULSE_TOKEN_KEYS_FILE);
  try {
    return await mintToken(key, {
      audience: publicUrlOf(settings),
      sources: options.allSources === true ? '*' : (options.source ?? []),
      ...(options.origin !== undefined && { origins: options.origin }),
      ...(options.subject !== undefined && { subject: options.subject }),
      lifeSeconds,
    });
  } catch (error) {
    throw new ConfigError([error instanceof Error ? error.message : 'Cannot mint a token']);
  }
}

/** Explains the given token. Without a given token, reads a token from standard input. */
export async function explainTokenFor(environment: Variables, token: string | undefined): Promise<TokenExplanation> {
  const settings = readSettings(environment, TABLE);
  const file = settings.PULSE_TOKEN_KEYS_FILE;
  const keySet = file === undefined ? undefined : (await readTokenKeys(file)).keySet;
  const given = (token ?? (await text(process.stdin))).trim().replace(/^bearer +/i, '');
  return explainToken(given, { keySet, audience: publicUrlOf(settings), wallNow: Date.now });
}

async function keyOf({ kid, privateKey }: MintOptions, keysFile: string | undefined): Promise<MintingKey> {
  if (privateKey !== undefined) return pairOf(kid, privateKey);
  if (keysFile === undefined) throw new ConfigError(['PULSE_TOKEN_KEYS_FILE: is required, or --private-key and --kid']);
  for (const [name, { algorithm, key }] of (await readTokenKeys(keysFile)).keySet.keys)
    if (algorithm === 'HS256' && name === (kid ?? name)) return { kid: name, secret: key };
  const which = kid === undefined ? '' : ` ${JSON.stringify(kid)}`;
  throw new ConfigError([
    `PULSE_TOKEN_KEYS_FILE: contains no shared secret${which}; for a key pair, use --private-key`,
  ]);
}

function pairOf(kid: string | undefined, path: string): MintingKey {
  if (kid === undefined) throw new ConfigError(['--private-key needs --kid, the name of its public half']);
  try {
    return { kid, privateKey: readFileSync(path, 'utf8') };
  } catch {
    throw new ConfigError(['--private-key: must be a file that can be read']);
  }
}
