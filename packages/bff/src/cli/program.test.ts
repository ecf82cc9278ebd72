import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CommanderError } from 'commander';
import { type Commands, createProgram, usageFault } from './program.ts';
import type { MintOptions } from './token-command.ts';

const nothing = () => Promise.resolve();

function programWith(commands: Partial<Commands>) {
  return createProgram('0.0.0', {
    serve: nothing,
    health: nothing,
    check: nothing,
    doctor: nothing,
    mint: nothing,
    explain: nothing,
    exportTo: nothing,
    ...commands,
  });
}

/** What is said of a command line; undefined where it is understood. */
async function faultOf(words: readonly string[]): Promise<string | undefined> {
  const program = programWith({});
  try {
    await program.parseAsync(words, { from: 'user' });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof CommanderError);
    return usageFault(program, error);
  }
}

describe('createProgram()', () => {
  it('hands token mint what each of its options says', async () => {
    const minted: MintOptions[] = [];
    const mint = async (options: MintOptions) => void minted.push(options);
    const words = 'token mint --source a b --origin https://a.test --lifetime 60 --kid k --private-key f --all-sources';
    await programWith({ mint }).parseAsync(words.split(' '), { from: 'user' });
    const every: Required<MintOptions> = {
      source: ['a', 'b'],
      origin: ['https://a.test'],
      lifetime: '60',
      kid: 'k',
      privateKey: 'f',
      allSources: true,
    };
    assert.deepEqual(minted, [every]);
  });
});

describe('usageFault()', () => {
  const misspelt: readonly (readonly [words: string, fault: string])[] = [
    ['chekc', 'Unknown command "chekc"; the nearest is "check"'],
    ['hlp', 'Unknown command "hlp"; the nearest is "help"'],
    ['--versoin', 'Unknown option "--versoin"; the nearest is "--version"'],
    ['check --orign https://a.test', 'Unknown option "--orign"; the nearest is "--origin"'],
    ['export DIR --image', 'Unknown option "--image"; the nearest is "--images"'],
    ['token mnit', 'Unknown command "token mnit"; the nearest is "token mint"'],
    ['token mint --sorce src_1', 'Unknown option "--sorce"; the nearest is "--source"'],
    ['check more', 'Too many arguments for "check"'],
    ['check --origin', 'Option "--origin <url>" needs a value'],
    ['doctr', 'Unknown command "doctr"; the nearest is "doctor"'],
    ['doctor --jsn https://a.test', 'Unknown option "--jsn"; the nearest is "--json"'],
    ['doctor', 'Argument "url" is missing'],
    ['export', 'Argument "dir" is missing'],
  ];
  for (const [words, fault] of misspelt) {
    it(`names the nearest word: ${words}`, async () => assert.equal(await faultOf(words.split(' ')), fault));
  }

  const canary = 'canary-key-0123456789';
  for (const words of [[canary], ['check', `--key=${canary}`], [`PULSE_API_KEY=${canary}`], [`--${canary}`]]) {
    it(`does not repeat a word that may be a key: ${words.join(' ').replace(canary, 'KEY')}`, async () => {
      const fault = (await faultOf(words)) ?? '';
      assert.match(fault, /^Unknown (command|option) that is not repeated here; the nearest is "[\w- ]+"$/);
    });
  }

  for (const words of [
    [],
    ['serve'],
    ['check'],
    ['check', '--origin', 'https://a.test'],
    ['export', 'DIR', '--images'],
  ]) {
    it(`finds none in ${JSON.stringify(words)}`, async () => assert.equal(await faultOf(words), undefined));
  }
});
