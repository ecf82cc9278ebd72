import type { z } from 'zod';

/** One line for each variable: its name, what it says, its default. */
export function variableLines(variables: Readonly<Record<string, z.ZodType>>): string[] {
  const width = Math.max(...Object.keys(variables).map((name) => name.length));
  return Object.entries(variables).map(([name, schema]) => {
    const standing = schema.safeParse(undefined).data as string | number | undefined;
    const text = `  ${name.padEnd(width)}  ${schema.meta()?.description ?? ''}`;
    return standing === undefined ? text : `${text} (default: ${standing})`;
  });
}
