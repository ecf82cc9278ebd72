import type { ReadPulse } from '@pulse-card/contract';
import type { ChartUrls, OpenFeature } from '../../feature.ts';
import { ImageCache } from './image-cache.ts';
import { createImageProxy } from './image-proxy.ts';
import { imageRoute } from './image-route.ts';
import { ImageUrlSigner, signedSourceId } from './image-url-signer.ts';

/** The purpose that separates the secret of signed image URLs from others made of the same key. */
const IMAGE_PURPOSE = 'pulse-card addresses of charts 1';

/** Charts through this server: `/v1/sources/{id}/image`, and with `PULSE_IMAGES=proxy` the addresses of charts. */
export const openImages: OpenFeature = ({ config, clock, imageHosts: hosts, secretsFor }) => {
  const { images, access, publicUrl } = config;
  const fetchImage = createImageProxy({ isService: (url) => hosts.isService(url) });
  const cache = new ImageCache({ fetchImage, clock });
  const isSigned = images === 'proxy' && access === 'token';
  const signer = isSigned
    ? new ImageUrlSigner({ secrets: secretsFor(IMAGE_PURPOSE), wallNow: () => clock.wallNow() })
    : undefined;
  const urlOf = ({ imageUrl, sourceId, jobRunId }: ReadPulse): string | null => {
    if (hosts.allowed(imageUrl) === undefined) return null;
    const query = signer?.queryFor(sourceId, jobRunId) ?? `run=${encodeURIComponent(jobRunId)}`;
    return `${publicUrl}/v1/sources/${encodeURIComponent(sourceId)}/image?${query}`;
  };
  return {
    name: 'images',
    routes: [imageRoute({ hosts, cache })],
    ...(images === 'proxy' && { chartUrls: { urlOf, ...(signer && signedBy(signer)) } }),
    chartSizeOf: ({ jobRunId, imageUrl }) => {
      const address = hosts.allowed(imageUrl);
      return address && cache.sizeOf(jobRunId, address);
    },
  };
};

function signedBy(signer: ImageUrlSigner): Pick<ChartUrls, 'period' | 'signed'> {
  return {
    period: () => signer.period(),
    signed: { sourceIdOf: signedSourceId, isSigned: (sourceId, query) => signer.isSigned(sourceId, query) },
  };
}
