import bcd from '@mdn/browser-compat-data' with { type: 'json' };
import type { CompatStatement, Identifier, SimpleSupportStatement } from '@mdn/browser-compat-data';

/** The oldest browsers that .github/SUPPORT.md lists. */
const OLDEST = { chrome: 125, firefox: 126, safari: 17.5 } as const;

/** The APIs that the card uses only if they exist, or that only tests use. */
const OPTIONAL: readonly string[] = ['ClipboardItem', 'setHTMLUnsafe', 'parseHTMLUnsafe'];

/** A member of a global object, or the global object itself if there is no member. */
export type Api = readonly [owner: string, member?: string];

/**
 * The platform APIs and built-in objects that at least one of the oldest supported browsers lacks, according to MDN's
 * browser-compat-data.
 */
export function newerApis(): Api[] {
  const all = [...membersOf(bcd.api), ...membersOf(bcd.javascript['builtins'] ?? {})];
  return all.filter(([owner, member = '']) => !OPTIONAL.includes(owner) && !OPTIONAL.includes(member));
}

/**
 * A script for the start of a page. It removes all APIs that are newer than the oldest supported browsers, so that code
 * that depends on one fails in every browser.
 */
export function oldestBrowserScript(): string {
  return `<script>for (const [owner, member] of ${JSON.stringify(newerApis())}) {
    const object = globalThis[owner];
    if (!member) delete globalThis[owner];
    else if (object) for (const holder of [object, object.prototype, owner === 'Window' ? globalThis : undefined])
      if (holder && Object.getOwnPropertyDescriptor(holder, member)?.configurable) delete holder[member];
  }</script>`;
}

function membersOf(objects: Identifier): Api[] {
  return Object.entries(objects as Record<string, Identifier>).flatMap(([owner, { __compat: compat, ...members }]) => {
    if (isNewer(compat)) return [[owner]] as Api[];
    return Object.entries(members as Record<string, Identifier>)
      .filter(([member, { __compat: own }]) => isNewer(own) && !member.endsWith('_event'))
      .map(([member]) => [owner, member.replace(/_static$/, '')] as const);
  });
}

function isNewer(compat: CompatStatement | undefined): boolean {
  return (
    compat !== undefined &&
    Object.entries(OLDEST).some(([browser, oldest]) => {
      const support = compat.support[browser as keyof typeof OLDEST];
      return ![support].flat().some((statement) => statement && hasIn(statement, oldest));
    })
  );
}

function hasIn(statement: SimpleSupportStatement, oldest: number): boolean {
  const { version_added: added, version_removed: removed, flags, prefix, alternative_name: name } = statement;
  const isThere = typeof added === 'string' && versionOf(added) <= oldest && !flags && !prefix && !name;
  // If support was partial at first, the version that introduced it still counts.
  return isThere && !(typeof removed === 'string' && versionOf(removed) <= oldest);
}

function versionOf(text: string): number {
  return parseFloat(text.replace('≤', ''));
}
