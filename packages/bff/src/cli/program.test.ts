import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CommanderError } from 'commander';
import { commandIn, createProgram, usageFault } from './program.ts';

/** The message for an invalid command line. */
async function faultOf(words: readonly string[]): Promise<string> {
  const program = createProgram(process);
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    assert.ok(error instanceof CommanderError);
    return usageFault(error, commandIn(program, words));
  }
  throw new assert.AssertionError({ message: `${words.join(' ')} was understood` });
}

describe('usageFault()', () => {
  const misspelt: readonly (readonly [words: string, fault: string])[] = [
    ['hlp', "unknown command 'hlp' (the nearest is help)"],
    ['--versoin', "unknown option '--versoin' (the nearest is --version)"],
    ['check --orign https://a.test', "unknown option '--orign' (the nearest is --origin)"],
    ['export DIR --image', "unknown option '--image' (the nearest is --images)"],
    ['token mnit', "unknown command 'mnit' (the nearest is mint)"],
    ['token mint --sorce src_1', "unknown option '--sorce' (the nearest is --source)"],
    ['start', "unknown command 'start' (the nearest is serve)"],
    ['token sign', "unknown command 'sign' (the nearest is mint)"],
    ['--quiet', "unknown option '--quiet' (the nearest is --help)"],
    ['check --json', "unknown option '--json' (the nearest is --help)"],
    ['token mint --days 7', "unknown option '--days' (the nearest is --kid)"],
    ['serve --alert', "unknown option '--alert' (the nearest is --help)"],
    ['check more', "too many arguments for 'check'. Expected 0 arguments but got 1"],
    ['check --origin', "option '--origin <url>' argument missing"],
    ['doctor https://a.test', "unknown command 'doctor' (the nearest is token)"],
    ['token explain', "unknown command 'explain' (the nearest is mint)"],
    ['check --bff http://a.test', "unknown option '--bff' (the nearest is --help)"],
    ['export', "missing required argument 'dir'"],
  ];
  for (const [words, fault] of misspelt) {
    it(`suggests the nearest word: ${words}`, async () => assert.equal(await faultOf(words.split(' ')), fault));
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
    it(`doesn’t repeat a word that could be a key: ${words.join(' ').replace(canary, 'KEY')}`, async () => {
      const fault = await faultOf(words);
      assert.ok(fault.length > 0 && !fault.includes(canary), fault);
    });
});
