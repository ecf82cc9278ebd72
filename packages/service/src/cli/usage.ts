import type { Command, CommanderError } from 'commander';
import { CommandError } from '../command-error.ts';
import { closestMatch } from 'leven';

/** An option has an invalid value. The exit code is 2. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
}

/**
 * The message for a command line that the library rejected. It lists unknown words along with the closest known word.
 */
export function usageMessage(program: Command, args: readonly string[], error: CommanderError): string[] {
  const { code, message, exitCode } = error;
  // The help or version has already been printed, as has the help for a command that lacks its subcommand.
  if (exitCode === 0 || code === 'commander.help') return [];
  const word = /'([^']*)'/.exec(message)?.[1] ?? '';
  const options = optionsOf(program);
  // The library reports a missing option before an unknown option. The unknown option may be a misspelling of the
  // missing one.
  const misspelt = args.find((arg) => /^--./.test(arg) && !options.includes(arg.replace(/=[^]*/, '')));
  const option = code === 'commander.unknownOption' ? word : misspelt;
  if (option !== undefined) return [unknown('option', option.replace(/=[^]*/, ''), options)];
  if (code !== 'commander.unknownCommand') return [message.replace(/^error: /, '')];
  const parent = program.commands.find((command) => command.name() === args[0]);
  const asked = parent === undefined ? word : `${parent.name()} ${word}`;
  return [unknown('command', asked, commandsOf(program))];
}

function unknown(kind: 'command' | 'option', word: string, known: readonly string[]): string {
  return `Unknown ${kind} "${word}"; did you mean "${closestMatch(word, known)}"?`;
}

function commandsOf(command: Command, prefix = ''): string[] {
  return command.commands.flatMap((one) => [`${prefix}${one.name()}`, ...commandsOf(one, `${prefix}${one.name()} `)]);
}

function optionsOf(command: Command): string[] {
  const own = command.options.flatMap(({ long }) => long ?? []);
  return ['--help', ...own, ...command.commands.flatMap(optionsOf)];
}
