/** The statuses that need attention. */
const TROUBLED = new Set(['PENDING', 'DEGRADED', 'BROKEN']);

/**
 * The number of sources, and how many need attention: `10 sources, 3 need attention`. The text is empty if there are no
 * sources, because the board itself shows a message.
 */
export function countsText(sources: readonly { readonly status: string | null }[]): string {
  if (sources.length === 0) return '';
  const troubled = sources.filter(({ status }) => status !== null && TROUBLED.has(status)).length;
  const all = sources.length === 1 ? '1 source' : `${sources.length} sources`;
  if (troubled === 0) return `${all}, all up to date`;
  return `${all}, ${troubled} ${troubled === 1 ? 'needs' : 'need'} attention`;
}
