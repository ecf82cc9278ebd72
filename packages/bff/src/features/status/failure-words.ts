import { originAdvice } from '../../http/origins.ts';
import type { Failure, FailureCode, HostName } from '../../upstream/failure.ts';

/** The warning about a proxy that `TRUST_PROXY` doesn't include. */
export const UNTRUSTED_PROXY =
  'A request came with X-Forwarded-For or Forwarded from a proxy that TRUST_PROXY doesn’t include: set TRUST_PROXY. Otherwise, all readers behind that proxy share one rate limit';

const DESCRIPTORS =
  'no more files or connections can be opened. Raise the limit of open files (ulimit -n, or LimitNOFILE) and restart';

/**
 * One row for each action of the operator: what is wrong, as a clause, then what to do about it. `%url`: the variable
 * with the URL. `(%status)` and `(%detail)`: facts about the failure. Rows of the file system have its error codes.
 */
const ROWS: Readonly<Record<FailureCode, string> & Record<string, string>> = {
  key_rejected:
    'it rejects the API key (401). Create a new key and set PULSE_API_KEY, or write it to the file set in PULSE_API_KEY_FILE',
  scope_missing: 'the API key lacks a scope (%detail). Give the key this scope, or create a new key that has it',
  rate_limited: 'it answers 429. Find out which other program uses the key. PULSE_RATE_LIMIT must be the key’s limit',
  dns: 'its host name can’t be looked up (DNS). Check the host name in %url, and the DNS of this machine',
  tls: 'there is no TLS connection (%detail). Check that %url uses TLS on that port, or set NODE_EXTRA_CA_CERTS',
  connection: 'no connection can be made (%detail). Check that the server in %url runs, its port, and the firewalls',
  plain_http: 'its http: URL leads to a public address, where the key could be read. Use https: in %url',
  proxy: 'the outgoing proxy rejects the call (%detail). Check HTTPS_PROXY: host, username, and password; or NO_PROXY',
  timeout: 'it doesn’t answer in time. Check the load of the server in %url, the network, and the firewalls',
  server_error:
    'it answers with a server error (%status). If the problem lasts, report it to the operator of the service',
  gateway: 'something else answers in its place (%status). Check %url, and any proxy, gateway, or firewall in between',
  not_found_everywhere: 'it answers 404 to everything. Check whether %url has the right environment and path',
  redirect: 'it redirects (%detail). If that host is the service, set %url to it. It may also be a login page',
  invalid: 'it sends something unreadable (%detail). Check %url, which must not contain /v1, and any login page',
  no_descriptors: DESCRIPTORS,
  out_of_calls: 'no call is left. Lower PULSE_RATE_RESERVE, or ask for a higher limit and set PULSE_RATE_LIMIT',
  starting: 'this server has just started. Wait a few seconds',
  account_changed: 'the key belongs to another account than before. Wait until its pulses have been read',
  stopping: 'this server is stopping. Start it again',
  fault: 'this server has an internal error. Read the log and report the error',
  redis_login: 'it rejects the login. Check the username and password in %url',
  redis_acl: 'its ACL forbids what this server needs. Allow the user in %url the commands and keys that the docs list',
  redis_database: 'it doesn’t have this database. Check the number at the end of %url',
  redis_readonly: 'it can’t be written. Check that %url is the primary, and that it can write to its disk',
  redis_full: 'it has no memory left. Raise its maxmemory',
  redis_loading: 'it is loading its data. Wait until it has started',
  redis_other: 'it sends something that isn’t a reply. Check that a Redis or Valkey server is at %url',
  ENOSPC: 'its disk is full. Free disk space',
  EACCES: 'this user isn’t allowed to write there. Allow it, or name another folder in %url',
  EROFS: 'its file system is read-only. Mount a writable one there',
  EMFILE: DESCRIPTORS,
  disk_other: 'it can’t be written (%detail). Check that %url is a folder on a working disk',
  chart_http:
    'its URL begins with http:. Ask the operator of the service for https: URLs. For a service on a private network, set PULSE_IMAGES=proxy and PULSE_ALLOW_HTTP_UPSTREAM',
  'chart_not-listed': 'its host isn’t in PULSE_IMAGE_HOSTS. If you trust that host, add it there and restart',
  'chart_not-public':
    'its URL isn’t a public https: URL on port 443. Ask the operator of the service for such URLs, or set PULSE_IMAGES=proxy and add the host to PULSE_IMAGE_HOSTS',
  'chart_behind-proxy': 'the outgoing proxy resolves names itself. If you trust that host, add it to PULSE_IMAGE_HOSTS',
};

/** Error codes with the row of another one. */
const SAME_ROW: Readonly<Record<string, string>> = { EDQUOT: 'ENOSPC', EPERM: 'EACCES', ENFILE: 'EMFILE' };

/** Why a response with this error code has no chart. `(%detail)`: the source. */
const READER_ROWS: Readonly<Record<string, string>> = {
  origin_forbidden: 'the site isn’t allowed. ',
  signed_out: 'no one is signed in. Readers sign in on your site. If they were signed in, check authorize()',
  token_missing: 'the request has no token. Set token or tokenProvider on the card',
  token_invalid: 'the token is rejected. The log says what was expected of the token, and what was found',
  token_forbidden: 'the token is for another source or site. Mint tokens that list the source and the site',
  rate_limited:
    'too many requests come from one IP address. Raise PULSE_CLIENT_RATE, or set TRUST_PROXY behind a proxy',
  source_unknown: 'there is no such source. Correct the source-id of the card (%detail)',
  bad_request: 'the request is malformed. Do nothing, unless one of your proxies changes URLs',
  upstream_auth: 'the service rejects the key. Create a new key',
  upstream_rate_limited: ROWS.out_of_calls,
  upstream_unavailable: 'the service doesn’t answer. Run pulse-bff check',
  upstream_invalid: 'the service sends something else. Check PULSE_BASE_URL, which must not contain /v1',
};

/** The variable that sets each host. */
export const HOST_VARIABLES: Readonly<Record<HostName, string>> = { main: 'PULSE_BASE_URL', alt: 'PULSE_ALT_BASE_URL' };

/** A failure. `variable` is the name of the variable with its URL. @default the variable of the host */
type Facts = Pick<Failure, 'status' | 'detail' | 'host'> & { readonly code: string; readonly variable?: string };

/** What is wrong, as a clause, and what the operator can do about it. */
export function failureWords({ code, status, detail, host = 'main', variable = HOST_VARIABLES[host] }: Facts) {
  const other = /^E[A-Z]/.test(code) ? 'disk_other' : 'redis_other';
  return wordsIn(ROWS[SAME_ROW[code] ?? code] ?? ROWS[other], { detail: detail ?? status, status }, variable);
}

/** Why a response with this error code has no chart, and what to do about it. */
export function causeOf(
  code: string,
  { origin = 'null', sourceId }: { origin?: string; sourceId?: string | undefined },
) {
  const [words, advice] = wordsIn(READER_ROWS[code] ?? ROWS.fault, { detail: sourceId });
  return { words, advice: code === 'origin_forbidden' ? `${originAdvice([origin])}.` : advice };
}

type Places = { readonly [Place in 'detail' | 'status']?: string | number | undefined };

function wordsIn(row = '', places: Places = {}, variable = '') {
  const text = row
    .replaceAll('%url', variable)
    .replace(/ \(%(\w+)\)/, (_all, place: keyof Places) => (places[place] ? ` (${places[place]})` : ''));
  const at = text.indexOf('. ');
  return [text.slice(0, at), `${text.slice(at + 2)}.`] as const;
}
