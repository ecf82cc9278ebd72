import type { PublicPulse, ReadPulse } from '@pulse-card/contract';
import { isAllowedHost } from '../auth/ssrf-safe-lookup.ts';
import { allowedImageUrl } from '../auth/image-url.ts';
import type { FetchImage } from '../http/image-proxy.ts';

type OfRun = Pick<PublicPulse, 'sourceId' | 'jobRunId'>;

/** A chart with the address that readers find it at, or why there is none. */
export type Chart =
  | { readonly ok: true; readonly bytes: Buffer; readonly address: string }
  | { readonly ok: false; readonly reason: string };

/** The file of the chart of one run: its ending tells hosts what it is, and its name never means another. */
export function chartPath({ sourceId, jobRunId }: OfRun): string {
  return `v1/sources/${sourceId}/${jobRunId}.png`;
}

/** The file of the latest chart of a source, where the BFF has it. */
export function imagePath({ sourceId }: OfRun): string {
  return `v1/sources/${sourceId}/image`;
}

/** Fetches charts from the named hosts alone; `publicUrl` is where the files will be served. */
export function chartFetcher(
  fetchImage: FetchImage,
  { imageHosts, publicUrl }: { imageHosts: readonly string[]; publicUrl: string },
): (pulse: ReadPulse) => Promise<Chart> {
  return async (pulse) => {
    const address = allowedImageUrl(pulse.imageUrl, imageHosts);
    if (address === undefined || !isAllowedHost(address.hostname))
      return { ok: false, reason: 'its chart lies on a host that PULSE_IMAGE_HOSTS does not name' };
    const image = await fetchImage(address);
    if (!image.ok) return { ok: false, reason: `its chart could not be fetched (${image.code})` };
    return { ok: true, bytes: image.bytes, address: `${publicUrl}/${chartPath(pulse)}` };
  };
}
