import { readFile } from 'node:fs/promises';
import { type MintingKey, mintToken } from '@pulse-card/token';
import { ConfigError, publicUrlOf, readVariables, unknownVariables, type Variables } from '../config.ts';
import { readTokenKeys } from '../features/tokens/tokens.ts';
import { readText } from '../lib/secret-file.ts';
import { print, type Shell } from './output.ts';

/** The options for `pulse-bff token mint`. */
export interface MintOptions extends Readonly<Partial<Record<'subject' | 'lifetime' | 'kid', string>>> {
  readonly source?: readonly string[];
  readonly allSources?: boolean;
  readonly origin?: readonly string[];
  /** A file that contains an Ed25519 private key, as PEM. */
  readonly privateKey?: string;
}

/** Prints a token for the BFF that the environment describes. */
export async function mint({ env, stdout, stderr }: Shell, options: MintOptions): Promise<void> {
  print(stdout, await mintTokenFor(env, options));
  print(stderr, ...unknownVariables(env));
  const settings = readVariables(env, 'PORT', 'PULSE_PUBLIC_URL');
  if (settings.PULSE_PUBLIC_URL === undefined)
    print(stderr, `PULSE_PUBLIC_URL isn’t set, so the token works only with a BFF at ${publicUrlOf(settings)}`);
}

/** Mints a token for the BFF that the environment describes. Throws a `ConfigError` that explains what's wrong. */
export async function mintTokenFor(environment: Variables, options: MintOptions): Promise<string> {
  const settings = readVariables(environment, 'PORT', 'PULSE_PUBLIC_URL', 'PULSE_TOKEN_KEYS_FILE');
  if (options.source === undefined && options.allSources !== true)
    throw new ConfigError(['Specify --source or --all-sources']);
  const key = await keyOf(options, settings.PULSE_TOKEN_KEYS_FILE);
  try {
    return await mintToken(key, {
      audience: publicUrlOf(settings),
      sources: options.allSources === true ? '*' : (options.source ?? []),
      ...(options.origin !== undefined && { origins: options.origin }),
      ...(options.subject !== undefined && { subject: options.subject }),
      ...(options.lifetime !== undefined && { lifeSeconds: Number(options.lifetime) }),
    });
  } catch (error) {
    const fault = error instanceof Error ? error.message : 'Can’t mint a token';
    throw new ConfigError([fault.replace(/^lifeSeconds/, '--lifetime')]);
  }
}

async function keyOf({ kid, privateKey }: MintOptions, keysFile: string | undefined): Promise<MintingKey> {
  if (privateKey !== undefined) {
    if (kid === undefined) throw new ConfigError(['--private-key needs --kid, the name of its public half']);
    // A command can read a pipe, such as a password manager's output, because it reads only once.
    return { kid, privateKey: await readText('--private-key', privateKey, readFile) };
  }
  if (keysFile === undefined)
    throw new ConfigError(['PULSE_TOKEN_KEYS_FILE: is required, unless you pass --private-key and --kid']);
  const { keys } = await readTokenKeys(keysFile);
  for (const [name, { algorithm, key }] of keys)
    if (algorithm === 'HS256' && name === (kid ?? name)) return { kid: name, secret: key };
  const which = kid === undefined ? '' : ` ${JSON.stringify(kid)}`;
  const fault = `contains no shared secret${which}; for a key pair, use --private-key`;
  throw new ConfigError([`PULSE_TOKEN_KEYS_FILE: ${fault}`]);
}
