import type { ReadPulse } from '@pulse-card/contract';
import type { FeatureDefinition } from '../../feature.ts';
import { type ChartUrls, directChartUrl } from '../../http/public-fields.ts';
import { ImageCache } from './image-cache.ts';
import { createImageProxy } from './image-proxy.ts';
import { imageRoute } from './image-route.ts';
import { ImageHosts } from './image-hosts.ts';
import { imageSecrets } from './image-secrets.ts';
import { ImageUrlSigner, signedSourceId } from './image-url-signer.ts';
import { chartRefusals, refusalGauges, refusalProblems, type RefusedCharts, refusedCharts } from './refused-charts.ts';
import { imageVariables } from './variables.ts';

/** The member `charts` of `/status`. */
export interface ImagesFacts {
  /** The hosts with the most charts come first. */
  readonly refusedCharts: readonly RefusedCharts[];
}

/**
 * Serves charts through this server: `/v1/sources/{id}/image` and, with `PULSE_IMAGES=proxy`, the addresses in pulses.
 */
export const imagesFeature: FeatureDefinition<typeof imageVariables> = {
  variables: imageVariables,
  open(core, settings) {
    const { config, cache: pulses, clock } = core;
    const { access, publicUrl } = config;
    const { PULSE_IMAGES: mode } = settings;
    const hosts = new ImageHosts(config, settings);
    const refusalOf = chartRefusals(config, settings);
    const refused = (): RefusedCharts[] => refusedCharts(pulses, refusalOf);
    const fetchImage = createImageProxy({ isService: (url) => hosts.isService(url) });
    const cache = new ImageCache({ fetchImage, clock });
    const isSigned = mode === 'proxy' && access === 'token';
    const signer = isSigned
      ? new ImageUrlSigner({ secrets: imageSecrets(core), wallNow: () => clock.wallNow() })
      : undefined;
    const ownUrl = ({ imageUrl, sourceId, jobRunId }: ReadPulse): string | null => {
      if (hosts.allowed(imageUrl) === undefined) return null;
      const query = signer?.queryFor(sourceId, jobRunId) ?? `run=${encodeURIComponent(jobRunId)}`;
      return `${publicUrl}/v1/sources/${encodeURIComponent(sourceId)}/image?${query}`;
    };
    return {
      name: 'images',
      routes: [imageRoute({ hosts, cache })],
      chartUrls: {
        mode,
        hosts: settings.PULSE_IMAGE_HOSTS,
        urlOf: mode === 'proxy' ? ownUrl : directChartUrl(config, settings.PULSE_IMAGE_HOSTS),
        ...(signer && signedBy(signer)),
      },
      chartSizeOf: ({ jobRunId, imageUrl }) => {
        const address = hosts.allowed(imageUrl);
        return address && cache.sizeOf(jobRunId, address);
      },
      facts: (): ImagesFacts => ({ refusedCharts: refused() }),
      problems: () => refusalProblems(refused()),
      gauges: () => refusalGauges(refused()),
    };
  },
};

function signedBy(signer: ImageUrlSigner): Pick<ChartUrls, 'period' | 'signed'> {
  return {
    period: () => signer.period(),
    signed: { sourceIdOf: signedSourceId, isSigned: (sourceId, query) => signer.isSigned(sourceId, query) },
  };
}
