import { type Diagnosis, diagnoseInThread, type DoctorSettings } from '@pulse-card/doctor';
import { z } from 'zod';
import { isSerializedOrigin, OriginPolicy } from '../../http/origins.ts';
import type { Config } from '../../config/config.ts';
import type { ChartOrigin } from '../../http/public-fields.ts';
import type { WidgetFiles } from '../../http/widget-files.ts';
import { fetchPage } from './fetch-page.ts';

/** The input of a page check. */
export const checkInputSchema = z.object({
  /** The address of a page, or an origin. */
  url: z
    .string('must be an address such as https://www.example.com/page, with its scheme')
    .trim()
    .max(2_048, 'must have at most 2048 characters')
    .refine(isPageUrl, 'must be an address such as https://www.example.com/page, with its scheme'),
  /** A token to explain. */
  token: z.string().max(16_384, 'must have at most 16384 characters').optional(),
});

/** The input of a page check. */
export type CheckInput = z.input<typeof checkInputSchema>;

/** The part of the configuration that the doctor reads. */
type DoctorConfig = Pick<Config, 'publicUrl' | 'allowedOrigins' | 'access'>;

/** The settings that a page is checked against, without the known sources and tokens. */
export function doctorSettings(
  { publicUrl, allowedOrigins, access }: DoctorConfig,
  { mode: images, hosts: imageHosts }: ChartOrigin,
  widget: Pick<WidgetFiles, 'integrity'> | undefined,
) {
  const { own: ownOrigins } = new OriginPolicy(allowedOrigins, publicUrl);
  return { publicUrl, allowedOrigins, ownOrigins, access, images, imageHosts, integrity: widget?.integrity };
}

/** The origins that the operator has named. These origins may be on this machine. */
export function trustedOrigins({ allowedOrigins, ownOrigins }: Pick<DoctorSettings, 'allowedOrigins' | 'ownOrigins'>) {
  return [...(allowedOrigins === '*' ? [] : allowedOrigins), ...ownOrigins];
}

/**
 * Creates the function that checks pages for a running BFF. The function checks one page at a time. `fetchPage()`
 * fetches the page within its limits, and a separate thread diagnoses it. Rejects with a `ZodError` if the input is not
 * valid.
 */
export function pageChecker(settings: () => DoctorSettings) {
  let last: Promise<unknown> = Promise.resolve();
  return async (input: CheckInput): Promise<Diagnosis> => {
    const { url, token } = checkInputSchema.parse(input);
    const check = last.then(async () => {
      const given = settings();
      const page = await fetchPage(new URL(url), { trustedOrigins: trustedOrigins(given) });
      return diagnoseInThread({ page, settings: given, token });
    });
    last = check.catch(() => {});
    return check;
  };
}

function isPageUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  return isSerializedOrigin(new URL(text).origin);
}
