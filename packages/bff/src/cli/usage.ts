import type { Command, CommanderError } from 'commander';
import { closestMatch } from '../closest-match.ts';

/** What a command or option looks like. Anything else on a command line may be a key, so that it is not repeated. */
const PLAIN_WORD = /^-{0,2}[a-z][a-z-]{0,23}$/i;

/** Says what is wrong with a command line that `program` refused with `error`, naming the nearest word that it knows. */
export function usageFault(program: Command, { code, message }: CommanderError): string {
  const quoted = /'([^]*?)'/.exec(message)?.[1] ?? '';
  switch (code) {
    case 'commander.unknownOption':
      return unknown('option', quoted, optionsOf(commandAt(program, program.args)));
    case 'commander.unknownCommand':
      return unknown('command', parentOf(program, quoted), ['help', ...commandsOf(program)]);
    case 'commander.excessArguments':
      return excessArguments(program);
    case 'commander.missingArgument':
      return `Argument "${quoted}" is missing`;
    case 'commander.optionMissingArgument':
      return `Option "${/--[^]*/.exec(quoted)?.[0] ?? quoted}" needs a value`;
    default:
      return 'Cannot read the command line';
  }
}

function unknown(kind: 'command' | 'option', word: string, known: readonly string[]): string {
  const displayed = word.split(' ').every((part) => PLAIN_WORD.test(part)) ? `"${word}"` : 'that is not repeated here';
  return `Unknown ${kind} ${displayed}; the nearest is "${closestMatch(word, known)}"`;
}

/** Words too many are an unknown command where no command stands before them. */
function excessArguments(program: Command): string {
  const [word = ''] = program.args;
  const command = program.commands.find((one) => one.name() === word);
  return command === undefined
    ? unknown('command', word, ['help', ...commandsOf(program)])
    : `Too many arguments for "${word}"`;
}

/** `word` with the command that it was given to. */
function parentOf(program: Command, word: string): string {
  const [first = ''] = program.args;
  return program.commands.some((command) => command.name() === first) ? `${first} ${word}` : word;
}

function commandsOf(command: Command, before = ''): string[] {
  return command.commands.flatMap((one) => [`${before}${one.name()}`, ...commandsOf(one, `${before}${one.name()} `)]);
}

/** The command that `words` begin with. */
function commandAt(command: Command, [word, ...words]: readonly string[]): Command {
  const found = command.commands.find((one) => one.name() === word);
  return found === undefined ? command : commandAt(found, words);
}

function optionsOf({ options }: Command): string[] {
  return ['--help', ...options.flatMap(({ long }) => long ?? [])];
}
