import { isSourceId, pulsePath, ROUTES } from '@pulse-card/contract';
import { canBePrivate, isPlainHttp } from './plain-http.ts';
import type { UpstreamRequest } from './port.ts';

/**
 * The address of a question on the host at `baseUrl`, which may carry a path. Throws where the result is not, to the
 * letter, the base and the route: an id must never lead elsewhere.
 */
export function upstreamUrl(baseUrl: string, question: UpstreamRequest, allowHttp = false): URL {
  const base = checkedBase(baseUrl, allowHttp);
  const path = base.pathname.replace(/\/+$/, '') + routeOf(question);
  const url = new URL(base.origin + path);
  if (url.origin !== base.origin || url.pathname !== path || url.search !== '' || url.hash !== '')
    throw new Error('Cannot build an upstream address: it would lead elsewhere');
  return url;
}

function routeOf(question: UpstreamRequest): string {
  if (question.kind === 'sources') return ROUTES.sources;
  if (!isSourceId(question.sourceId)) throw new Error('Cannot build an upstream address: not a source id');
  return pulsePath(question.sourceId);
}

/**
 * The base as a URL. Throws where the key would travel in the clear, unless `allowHttp` says that it may on a private network,
 * or where the address holds what it must not.
 */
export function checkedBase(baseUrl: string, allowHttp = false): URL {
  const base = URL.parse(baseUrl);
  if (!base) throw new Error('Cannot use the base address: not a URL');
  const isHttp = base.protocol === 'http:' && (!isPlainHttp(base) || (allowHttp && canBePrivate(base.hostname)));
  const isSafe = base.protocol === 'https:' || isHttp;
  if (!isSafe) throw new Error('Cannot use the base address: neither https: nor a loopback host');
  if (base.username !== '' || base.password !== '' || base.search !== '' || base.hash !== '')
    throw new Error('Cannot use the base address: it has a user name, a query or a fragment');
  return base;
}
