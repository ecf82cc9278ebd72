import type { Failure, FailureCode, HostName } from '../../upstream/failure.ts';

/** Why Redis, a disk, or a chart can't be used, beyond what a call to the service may meet. */
type OtherCode =
  | ('redis_login' | 'redis_acl' | 'redis_database' | 'redis_readonly' | 'redis_full' | 'redis_loading' | 'redis_other')
  | ('disk_full' | 'disk_denied' | 'disk_readonly' | 'disk_other')
  | ('chart_http' | 'chart_not-listed' | 'chart_not-public' | 'chart_behind-proxy');

const STATUS_PAGE =
  'Look at the status page of the service. If the problem lasts, report it to the operator of the service';
const DESCRIPTORS = 'Raise its limit of open files (ulimit -n, or LimitNOFILE of the systemd service) and restart';

/**
 * One row for each action of the operator: what is wrong, as a clause, then what to do about it. `%url`: the variable
 * with the URL. `%status` and `%detail`: facts about the failure.
 */
const ROWS: Readonly<Record<FailureCode | OtherCode, string>> = {
  key_rejected:
    'it rejects the API key (401). Create a new key and set PULSE_API_KEY, or write it to the file set in PULSE_API_KEY_FILE',
  scope_missing: 'the API key lacks a scope (%detail). Give the key this scope, or create a new key that has it',
  rate_limited:
    'it answers 429. Find out which other program uses the key, or whether the limit of the account was lowered. PULSE_RATE_LIMIT must be the service’s X-RateLimit-Limit',
  dns: 'its host name can’t be looked up (DNS). Check the host name in %url, and whether this machine can look it up',
  tls: 'no TLS connection can be made (%detail). Check whether the host in %url uses TLS on that port, and its certificate. If your own authority signed it, set NODE_EXTRA_CA_CERTS',
  connection:
    'no connection can be made (%detail). Check that the server in %url runs, its port, and whether it and the firewalls accept connections from this machine',
  plain_http:
    'its http: URL leads to a public address. Use https: in %url. PULSE_ALLOW_HTTP_UPSTREAM applies only to private addresses',
  proxy:
    'the outgoing proxy doesn’t let the call through (%detail). Check HTTPS_PROXY: its host, and for 407 its username and password. NO_PROXY names hosts that need no proxy',
  timeout:
    'it doesn’t answer in time. Check the load of the server in %url, and the network and firewalls between it and this machine',
  server_error: `it answers with a server error (%status). ${STATUS_PAGE}`,
  gateway:
    'something else answers in its place (%status). Check %url, and any proxy, gateway, or firewall between this machine and the service',
  not_found_everywhere:
    'it answers 404 to everything. Check whether %url names the right environment and path of the service',
  redirect:
    'it redirects (%detail). If that is the service, set %url to it. A login page in front of the service redirects too',
  invalid:
    'it sends something else than JSON in the right form (%detail). Check %url, which must not contain /v1. A login or maintenance page may answer there',
  no_descriptors: `this process can’t open more files or connections. ${DESCRIPTORS}`,
  out_of_calls:
    'no call is left in this window. If this happens often, lower PULSE_RATE_RESERVE, or ask for a higher limit and set PULSE_RATE_LIMIT',
  starting: 'this server has just started. Wait a few seconds',
  account_changed:
    'the key belongs to another account than before. Wait until the new account’s answers have been read',
  stopping: 'this server is stopping. Start it again',
  fault: 'this server has an internal error. Read the log and report the error',
  redis_login: 'it rejects the login. Check the username and password in %url',
  redis_acl: 'its ACL forbids what this server needs. Allow the user in %url the commands and keys that the docs list',
  redis_database: 'it doesn’t have this database. Check the number at the end of %url',
  redis_readonly: 'it can’t be written. Check that %url is the primary, and that it can write to its disk',
  redis_full: 'it has no memory left. Raise its maxmemory',
  redis_loading: 'it is loading its data. Wait until it has started',
  redis_other: 'it sends something that isn’t a reply. Check that a Redis or Valkey server is at %url',
  disk_full: 'its disk is full. Free disk space',
  disk_denied: 'this user isn’t allowed to write there. Allow it, or name another folder in %url',
  disk_readonly: 'its file system is read-only. Mount a writable one there',
  disk_other: 'it can’t be written (%detail). Check that %url is a folder on a working disk',
  chart_http:
    'its URL begins with http:. Ask the operator of the service for https: URLs. Charts from a service on a private network may be http: with PULSE_IMAGES=proxy and PULSE_ALLOW_HTTP_UPSTREAM',
  'chart_not-listed':
    'its host isn’t in PULSE_IMAGE_HOSTS. If you trust that host, add it to PULSE_IMAGE_HOSTS and restart',
  'chart_not-public':
    'its URL isn’t a public https: URL on port 443. Ask the operator of the service for such URLs. With PULSE_IMAGES=proxy, PULSE_IMAGE_HOSTS can allow another port on a public host',
  'chart_behind-proxy':
    'this server uses an outgoing proxy, which resolves names itself. If you trust that host, add it to PULSE_IMAGE_HOSTS and restart',
};

const ERRNO: Readonly<Record<string, FailureCode | OtherCode>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EACCES: 'disk_denied',
  EPERM: 'disk_denied',
  EROFS: 'disk_readonly',
  EMFILE: 'no_descriptors',
  ENFILE: 'no_descriptors',
};

/** The row of an error code of the file system. */
export function diskRow(errno: string): FailureCode | OtherCode {
  return ERRNO[errno] ?? 'disk_other';
}

/** The variable that sets each host. */
export const HOST_VARIABLES: Readonly<Record<HostName, string>> = { main: 'PULSE_BASE_URL', alt: 'PULSE_ALT_BASE_URL' };

interface Facts extends Pick<Failure, 'status' | 'detail' | 'host'> {
  readonly code: string;
  /** @default the variable of the host */
  readonly variable?: string;
}

/** What is wrong, as a clause, and what the operator can do about it. */
export function failureWords({ code, status, detail, host = 'main', variable = HOST_VARIABLES[host] }: Facts) {
  const row = ROWS[code as FailureCode] ?? ROWS.redis_other;
  const facts: Readonly<Record<string, string | number | undefined>> = {
    ' (%detail)': detail ?? status,
    ' (%status)': status,
  };
  const text = row
    .replaceAll('%url', variable)
    .replace(/ \(%\w+\)/, (place) => (facts[place] === undefined ? '' : ` (${facts[place]})`));
  const at = text.indexOf('. ');
  return [text.slice(0, at), `${text.slice(at + 2)}.`] as const;
}
