import type { Failure, FailureCode, HostName } from '../../upstream/failure.ts';

type Rows = Readonly<Record<string, string>>;

const OUT_OF_CALLS = 'no call is left. Lower PULSE_RATE_RESERVE, or ask for a higher limit and set PULSE_RATE_LIMIT';

const FAULT = 'this server has an internal error. Read the log and report the error';

const WAIT = 'this server can’t call yet. Wait a few seconds';

/**
 * One row for each action that the operator can take: what is wrong, as a clause, and what to do about it. `%url`: the
 * variable with the URL. `(%status)` and `(%detail)`: facts about the failure.
 */
const ROWS: Rows & Readonly<Record<FailureCode, string>> = {
  key_rejected: 'it rejects the API key (401). Create a new key and set PULSE_API_KEY, or write it to the key file',
  scope_missing: 'the API key lacks a scope (%detail). Give the key this scope, or create a new key that has it',
  rate_limited: 'it returns 429. If other programs use the key, raise PULSE_RATE_RESERVE. Check PULSE_RATE_LIMIT, too',
  dns: 'its host name can’t be looked up (DNS). Check the host name in %url, and the DNS of this machine',
  tls: 'there is no TLS connection (%detail). Check that %url uses TLS on that port, or set NODE_EXTRA_CA_CERTS',
  connection: 'no connection can be made (%detail). Check that the server in %url runs, its port, and the firewalls',
  plain_http: 'its http: URL leads to a public IP address, so the key could be read on the way. Use https: in %url',
  proxy: 'the outgoing proxy can’t be used (%detail). Check HTTPS_PROXY: host, username, and password; or NO_PROXY',
  timeout: 'it doesn’t respond in time. Check the load of the server in %url, the network, and the firewalls',
  server_error: 'it returns a server error (%status). If this lasts, report it to the operator of the service',
  gateway: 'something else responds in its place (%status). Check %url, and any proxy, gateway, or firewall in between',
  not_found_everywhere: 'it returns 404 for everything. Check whether %url has the right environment and path',
  redirect: 'it redirects (%detail). If that host is the service, set %url to it. It may also be a login page',
  invalid: 'it sends something unreadable (%detail). Check %url, which must not contain /v1, and any login page',
  no_descriptors: 'no more files or connections can be opened. Raise LimitNOFILE or ulimit -n (open files) and restart',
  out_of_calls: OUT_OF_CALLS,
  starting: WAIT,
  account_changed: WAIT,
  stopping: WAIT,
  fault: FAULT,
  // Redis
  redis_login: 'it rejects the login. Check the username and password in %url',
  redis_acl: 'its ACL forbids what this server needs. Allow the user in %url the commands and keys that the docs list',
  redis_other: 'it can’t be used (%code). Run a SET command in redis-cli with the URL in %url: it shows the reason',
  // File system error codes
  ENOSPC: 'its disk is full. Free disk space',
  EACCES: 'this user isn’t allowed to write there. Allow it, or specify another folder in %url',
  disk_other: 'it can’t be written. Check that %url is a folder on a working disk that isn’t read-only',
  // Charts
  chart_http:
    'its URL begins with http:. Ask the operator of the service for https: URLs. For a service on a private network, set PULSE_IMAGES=proxy and PULSE_ALLOW_HTTP_UPSTREAM',
  'chart_not-listed': 'its host isn’t in PULSE_IMAGE_HOSTS. If you trust that host, add it there and restart',
  'chart_not-public':
    'its URL isn’t a public https: URL on port 443. Ask the operator of the service for such URLs, or set PULSE_IMAGES=proxy and add the host to PULSE_IMAGE_HOSTS',
  'chart_behind-proxy': 'the outgoing proxy resolves names itself. If you trust that host, add it to PULSE_IMAGE_HOSTS',
  // Error codes that readers get
  origin_forbidden: 'the site isn’t allowed. If this site is yours, add it to PULSE_ALLOWED_ORIGINS and restart',
  signed_out: 'no one is signed in. Readers sign in on your site. If they were signed in, check authorize()',
  token_missing: 'the request has no token. Set token or tokenProvider on the card',
  token_invalid: 'the token is rejected. The log says what was expected of the token, and what was found',
  token_forbidden: 'the token is for another source or site. Mint tokens that list the source and the site',
  client_limit: 'one IP address sends too many requests. Raise PULSE_CLIENT_RATE, or set TRUST_PROXY behind a proxy',
  source_unknown:
    'there is no such source. Correct the source-id of the card (%detail). If it’s correct, add it to PULSE_SOURCES and restart',
  internal: FAULT,
  upstream_auth: 'the service rejects the key. Create a new key',
  upstream_rate_limited: OUT_OF_CALLS,
  upstream_unavailable: 'the service doesn’t respond. Run the check command of pulse-bff',
  upstream_invalid: 'the service sends something else. Check PULSE_BASE_URL, which must not contain /v1',
};

/** File system error codes that use another code's row. */
const SAME_ROW: Rows = { EDQUOT: 'ENOSPC', EPERM: 'EACCES', EMFILE: 'no_descriptors', ENFILE: 'no_descriptors' };

/** The variable that sets each host. */
export const HOST_VARIABLES: Readonly<Record<HostName, string>> = { main: 'PULSE_BASE_URL', alt: 'PULSE_ALT_BASE_URL' };

/** A failure. `variable` is the name of the variable with its URL. @default the host's variable */
type Facts = Partial<Pick<Failure, 'status' | 'detail' | 'host'>> & Readonly<{ code: string; variable?: string }>;

/** What is wrong, as a clause, and what the operator can do about it. */
export function failureWords({ code, status, detail, host = 'main', variable = HOST_VARIABLES[host] }: Facts) {
  const other = /^E[A-Z]/.test(code) ? 'disk_other' : 'redis_other';
  const places: Readonly<Record<string, string | number | undefined>> = { status, detail: detail ?? status, code };
  const text = (ROWS[SAME_ROW[code] ?? code] ?? ROWS[other] ?? '')
    .replaceAll('%url', variable)
    .replace(/ \(%(\w+)\)/, (_all, place: string) => (places[place] ? ` (${places[place]})` : ''));
  const at = text.indexOf('. ');
  return [text.slice(0, at), `${text.slice(at + 2)}.`] as const;
}

/** What is wrong and what to do about it, as a single text. */
export const failureText = (facts: Facts): string => failureWords(facts).join('. ');
