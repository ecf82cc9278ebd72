import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CommanderError } from 'commander';
import { type Commands, createProgram, usageFault } from './program.ts';
import type { MintOptions } from './token.ts';

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
  try {
    await programWith({}).parseAsync(words, { from: 'user' });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof CommanderError);
    return usageFault(error);
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
    ['chekc', "unknown command 'chekc' (Did you mean check?)"],
    ['hlp', "unknown command 'hlp' (Did you mean help?)"],
    ['--versoin', "unknown option '--versoin' (Did you mean --version?)"],
    ['check --orign https://a.test', "unknown option '--orign' (Did you mean --origin?)"],
    ['export DIR --image', "unknown option '--image' (Did you mean --images?)"],
    ['token mnit', "unknown command 'mnit' (Did you mean mint?)"],
    ['token mint --sorce src_1', "unknown option '--sorce' (Did you mean --source?)"],
    ['check more', "too many arguments for 'check'. Expected 0 arguments but got 1"],
    ['check --origin', "option '--origin <url>' argument missing"],
    ['doctr', "unknown command 'doctr' (Did you mean doctor?)"],
    ['doctor --jsn https://a.test', "unknown option '--jsn' (Did you mean --json?)"],
    ['doctor', "missing required argument 'url'"],
    ['export', "missing required argument 'dir'"],
  ];
  for (const [words, fault] of misspelt) {
    it(`names the nearest word: ${words}`, async () => assert.equal(await faultOf(words.split(' ')), fault));
  }

  const canary = 'canary-key-0123456789';
  for (const words of [
    [canary],
    ['check', `--key=${canary}`],
    [`PULSE_API_KEY=${canary}`],
    [`--${canary}`],
    ['check', canary],
    [`--a' ${canary}`],
  ])
    it(`does not repeat a word that may be a key: ${words.join(' ').replace(canary, 'KEY')}`, async () => {
      const fault = (await faultOf(words)) ?? '';
      assert.ok(fault.length > 0 && !fault.includes(canary), fault);
    });

  for (const words of [['serve'], ['check'], ['check', '--origin', 'https://a.test'], ['export', 'DIR', '--images']]) {
    it(`finds none in ${JSON.stringify(words)}`, async () => assert.equal(await faultOf(words), undefined));
  }
});
