import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Feature, FeatureDefinition } from '../../feature.ts';
import type { Grant, Granted } from '../../http/authorizer.ts';
import { sendError } from '../../http/errors.ts';
import { writeMergedHead } from '../../http/merged-head.ts';
import type { Access, RequestContext } from '../../http/request-context.ts';
import { thrownText } from './thrown-text.ts';
import { type Authorize, checkedAuthorize } from './checked-authorize.ts';
import type { PulseBffOptions } from './mount-options.ts';
import { namedClient } from './named-client.ts';

/** The feature of a mounted router, and the rights that in-process reads have for a request. */
export interface Mount {
  readonly feature: FeatureDefinition;
  /** Undefined without `authorize`. Rejects if the application doesn't answer. */
  readonly grantedTo: (request: IncomingMessage | undefined) => Promise<Granted | undefined>;
}

/** A function of the application that takes a request. Express passes its own request object to a mounted router. */
type OfRequest = (request: IncomingMessage) => unknown;

/** Logged once, as a warning that a login in front of the router doesn't decide what readers may see. */
const OPEN_TO_ALL_REQUESTS =
  'createPulseBff() has no authorize: every request may see every source. Pass authorize, or { authorize: "*" } if that is intended';

/** Connects the BFF with the application that it is mounted in, behind that application's login. */
export function mountOf({ authorize, clientKey }: PulseBffOptions): Mount {
  const checked = typeof authorize === 'function' ? checkedAuthorize(authorize as OfRequest) : undefined;
  const open: FeatureDefinition['open'] = ({ config, logger, onHostFault }): Feature => {
    if (authorize === undefined && config.access === 'public') logger.warn(OPEN_TO_ALL_REQUESTS);
    return {
      name: 'mount',
      writeHead: writePrivateHead,
      ...(checked && { grant: applicationGrant(checked, onHostFault) }),
      ...(clientKey && { nameClient: namedClient(clientKey as OfRequest, onHostFault) }),
    };
  };
  return {
    feature: { open },
    grantedTo: async (request) => {
      if (checked === undefined) return undefined;
      if (request === undefined)
        throw new TypeError('pulse() needs the request, because authorize() decides what the request may see');
      return grantedBy((await checked(request)).sources);
    },
  };
}

/** The header that names the reader of an answer, percent-encoded. */
const READER_HEADER = 'Pulse-Reader';

/** Creates a grant that asks the application. The application isn't asked about a path that has no route. */
export function applicationGrant(authorize: Authorize, onHostFault: (message: string) => void): Grant {
  return (context) => (context.access === 'none' ? '*' : askApplication(context, authorize, onHostFault));
}

async function askApplication(
  context: RequestContext,
  authorize: Authorize,
  onHostFault: (message: string) => void,
): Promise<Granted | undefined> {
  const { request, response, headers, reader } = context;
  try {
    const { sources, reader: name } = await authorize(request);
    reader.name = name;
    if (name !== undefined) headers.push(READER_HEADER, encodeURIComponent(name.toWellFormed()));
    // The application may have started its own response, such as a redirect to its login.
    return response.headersSent ? undefined : grantedBy(sources);
  } catch (fault) {
    onHostFault(thrownText(fault));
    const error = 'Pulses are unavailable: the application did not say what this reader may see';
    if (!response.headersSent) sendError(context, 'upstream_unavailable', { error });
    return undefined;
  }
}

function grantedBy(sources: '*' | readonly string[]): Granted {
  return sources === '*' ? sources : new Set(sources);
}

/**
 * Writes the head of a mounted router's response, according to the access of its route. Data and charts depend on the
 * cookie, and are only for pages on the same origin.
 */
function writePrivateHead(response: ServerResponse, status: number, headers: string[], access: Access): void {
  // A proxy may be configured to store errors as well. A page on another port on the host sends the same cookies.
  if (access !== 'file' && access !== 'probe')
    headers.push('Vary', 'Cookie', 'Cross-Origin-Resource-Policy', 'same-origin');
  writeMergedHead(response, status, headers);
}
