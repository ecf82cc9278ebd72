import type { Diagnosis, DoctorSettings } from '@pulse-card/doctor';
import { safeUrl } from '@pulse-card/contract';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { OriginPolicy } from '../../http/origins.ts';
import { checkedLookup, isPublicTarget, placeOf, type Resolve } from '../../lib/ip-address.ts';
import type { Pulses } from '../../pulses/pulses.ts';
import { PUBLIC_CODES } from '../../upstream/failure.ts';

const PAGE_URL = { protocol: /^https?$/, error: 'must include the scheme, such as https://www.example.com/page' };

/** The URL of a page or an origin, a token to explain, or both. */
const inputSchema = z
  .strictObject({
    url: z.url(PAGE_URL).max(2_048, 'can be up to 2048 characters').optional(),
    token: z.string().max(16_384, 'can be up to 16384 characters').optional(),
  })
  .refine(({ url, token }) => url ?? token, 'must contain a URL or a token');

export interface CheckParts {
  readonly config: Config;
  readonly origins: OriginPolicy;
  readonly pulses: Pick<Pulses, 'ids' | 'peek' | 'status' | 'answers'>;
  readonly tokens: { readonly keySet: DoctorSettings['tokenKeys'] } | undefined;
  /** @default the machine's resolver */
  readonly resolve?: Resolve;
}

/** Checks pages for this BFF, one at a time. Rejects with a `ZodError` if the input isn't valid. */
export function pageChecker(parts: CheckParts): (input: unknown) => Promise<Diagnosis> {
  let last: Promise<unknown> = Promise.resolve();
  return async (input) => {
    const { url = parts.config.publicUrl, token } = inputSchema.parse(input);
    const check = last.then(async () => {
      // Loaded with the first check, because few processes need it.
      const { diagnoseInThread, fetchPage } = await import('@pulse-card/doctor');
      const guards = { isAllowed: guard(parts), lookup: checkedLookup(isPublicTarget, parts.resolve) };
      return diagnoseInThread([await fetchPage(new URL(url), guards), settingsOf(parts), token]);
    });
    last = check.catch(() => {});
    return check;
  };
}

/** Only public URLs and the operator's own pages on this machine may be fetched. */
function guard({ origins }: CheckParts): (url: URL) => boolean {
  return ({ hostname, origin }) =>
    placeOf(hostname) === 'public' || (placeOf(hostname) === 'loopback' && !origins.isOpen && origins.allows(origin));
}

/** The doctor suggests the first known IDs, so those with a pulse come first. */
function settingsOf({ config, origins, pulses, tokens }: CheckParts): DoctorSettings {
  const { publicUrl, allowedOrigins, access, images } = config;
  const { list, sources } = pulses.status();
  const ids = sources.toSorted((a, b) => Number(b.hasPulse) - Number(a.hasPulse)).map(({ sourceId }) => sourceId);
  const chartOf = (id: string) =>
    images === 'proxy' ? `${publicUrl}/v1/sources/${id}/image` : safeUrl(pulses.peek(id)?.value.pulse?.imageUrl ?? '');
  const failureOf = ({ sourceId, lastsMs, lastFailure }: typeof list) => {
    // A source that can't be requested might not have failed yet.
    const failure = pulses.answers.upstream.blocks(sourceId) ?? lastFailure;
    return failure && lastsMs <= 0 ? PUBLIC_CODES[failure.code] : undefined;
  };
  return {
    publicUrl,
    allowedOrigins,
    access,
    ownOrigins: origins.own,
    knownIds: pulses.ids.followsList && list.freshness === 'never-answered' ? undefined : ids,
    chartUrls: new Map(ids.map((id) => [id, chartOf(id)])),
    tokenKeys: tokens?.keySet,
    failures: new Map(sources.map((source) => [source.sourceId, failureOf(source)])),
    listFailure: failureOf(list),
  };
}
