/** A third-party package whose code we ship. */
export interface ThirdParty {
  readonly name: string;
  readonly version: string;
  /** Its SPDX identifier. */
  readonly identifier: string;
  /** The copyright holder, if the package has no license file. */
  readonly author: string;
  /** Its license file. Empty if the package has none. */
  readonly text: string;
}

/** The text of `THIRD-PARTY-NOTICES.txt` for a build that contains these packages. */
export function noticesText(what: string, packages: readonly ThirdParty[]): string {
  if (packages.length === 0)
    return `${what} contains no third-party code. Its dependencies are separate packages with their own licenses.\n`;
  const sorted = packages.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const intro = `${what} contains code of the following packages.`;
  return `${[intro, ...sorted.map((one) => noticeOf(one, sorted))].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function noticeOf(one: ThirdParty, all: readonly ThirdParty[]): string {
  const { name, version, identifier, text } = one;
  return `${name} ${version} (${identifier})\n\n${(text || standardText(one, all)).trim()}`;
}

/**
 * The license text of a package without a license file: the text from another package, but with this package's
 * copyright line.
 */
function standardText({ name, identifier, author }: ThirdParty, all: readonly ThirdParty[]): string {
  const other = all.find((one) => one.identifier === identifier && one.text !== '');
  if (other === undefined)
    throw new Error(`Cannot find the license text of ${name}: it declares ${identifier}, but has no license file`);
  const terms = other.text.split('\n').filter((line) => !/^\s*copyright\b/i.test(line));
  return [`Copyright (c) ${author}`, ...terms].join('\n');
}
