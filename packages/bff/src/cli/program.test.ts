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
    ['hlp', "unknown command 'hlp' (did you mean help?)"],
    ['--versoin', "unknown option '--versoin' (did you mean --version?)"],
    ['export DIR --image', "unknown option '--image' (did you mean --images?)"],
    ['token mint --sorce src_1', "unknown option '--sorce' (did you mean --source?)"],
    ['start', "unknown command 'start' (did you mean serve?)"],
    ['check more', "too many arguments for 'check'. Expected 0 arguments but got 1"],
    ['check --origin', "option '--origin <url>' argument missing"],
    ['doctor https://a.test', "unknown command 'doctor' (did you mean token?)"],
    ['export', "missing required argument 'dir'"],
  ];
  for (const [words, fault] of misspelt) {
    it(`suggests the nearest word: ${words}`, async () => assert.equal(await faultOf(words.split(' ')), fault));
  }

  const canary = 'canary-key-0123456789';
  for (const words of [[canary], [`PULSE_API_KEY=${canary}`], [`--${canary}`], ['check', canary], [`--a' ${canary}`]])
    it(`doesn’t repeat a word that could be a key: ${words.join(' ').replace(canary, 'KEY')}`, async () => {
      const fault = await faultOf(words);
      assert.ok(fault.length > 0 && !fault.includes(canary), fault);
    });
});
