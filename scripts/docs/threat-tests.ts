/**
 * Tests that cover a threat in docs/security.md without its number in their title: the file in `packages/bff/`, and the
 * beginning of the title.
 */
export const THREAT_TESTS: Readonly<Record<string, readonly (readonly [file: string, title: string])[]>> = {
  'T-02': [['net/key.test.ts', 'isn’t in any response']],
  'T-04': [['src/features/images/chart-proxy.test.ts', 'sends only four headers and the host']],
  'T-06': [
    ['net/bounds.test.ts', 'the description of the API is served'],
    ['net/settings.test.ts', 'has nothing that the public port has'],
  ],
  'T-08': [
    ['src/pulses/state-folder.test.ts', 'keeps only fields that readers get'],
    ['src/features/redis/redis.test.ts', 'stores only fields that readers get'],
  ],
  'T-11': [
    ['src/pulses/pulses.test.ts', 'doesn’t make a call for an ID that no one has mentioned'],
    ['net/bounds.test.ts', 'an ID that no one mentioned doesn’t cause a call'],
  ],
  'T-18': [['src/upstream/service-client.test.ts', 'sends the key in its header, and nothing about a reader']],
  'T-24': [
    ['src/http/client-limit.test.ts', 'ignores X-Forwarded-For unless a proxy is trusted'],
    ['src/http/client-limit.test.ts', 'counts an IPv6 /56 network as one client'],
  ],
  'T-25': [['src/lib/log.test.ts', 'writes one line without control characters']],
  'T-27': [['src/upstream/service-client.test.ts', 'has one deadline for connecting, headers, and body']],
  'T-28': [
    ['src/upstream/call-budget.test.ts', 'isn’t loosened by headers that promise more'],
    ['net/limit.test.ts', 'odd rate headers never raise the limit'],
  ],
  'T-29': [
    ['src/upstream/upstream.test.ts', 'doesn’t trust a 404 while the list returns 404'],
    ['src/pulses/answers.test.ts', 'removes the pulse if the list still works'],
  ],
  'T-30': [
    ['src/pulses/state-folder.test.ts', 'doesn’t stop anything'],
    [
      'src/features/redis/redis.test.ts',
      'separates the responses of different keys and ignores damaged or foreign ones',
    ],
  ],
  'T-31': [
    ['src/pulses/answers.test.ts', 'drops every response before it uses one from another account'],
    ['src/features/redis/redis.test.ts', 'separates the responses of different keys'],
  ],
  'T-32': [
    ['src/features/redis/redis.test.ts', 'uses its own budget while Redis is lost'],
    ['net/attacks/attacks.test.ts', 'a Redis server that accepts connections but never responds'],
  ],
  'T-43': [['src/features/redis/redis.test.ts', 'stores only fields that readers get']],
  'T-52': [['src/features/images/chart-proxy.test.ts', 'rejects ']],
  'T-54': [
    ['src/features/images/chart-proxy.test.ts', 'rejects '],
    ['src/features/images/chart-proxy.test.ts', 'truncates data after the end of the PNG'],
  ],
  'T-55': [['src/features/images/images.test.ts', 'fetches a chart once for all waiting readers and caches it']],
  'T-68': [
    ['src/features/status/admin.test.ts', 'rejects pages on other sites, and methods that write'],
    ['net/settings.test.ts', 'responds under loopback names and PULSE_ADMIN_HOSTS only'],
    ['src/features/studio/studio.test.ts', 'never lets other pages frame it'],
  ],
  'T-70': [['src/features/alerts/alerts.test.ts', 'keeps names from mentioning people, linking, or formatting']],
  'T-81': [
    ['net/bounds.test.ts', 'a batch can contain up to 50 IDs and 2 MiB'],
    ['net/attacks/attacks.test.ts', 'while 24 IP addresses with 192 connections don’t read their responses'],
  ],
  'T-82': [['src/pulses/pulses.test.ts', 'counts one view per client in each period']],
  'T-83': [
    ['src/features/status/request-log.test.ts', 'writes less than 10 kB in an outage'],
    ['src/features/status/request-log.test.ts', 'logs a rejected origin once a minute'],
  ],
  'T-84': [
    ['src/features/images/chart-hosts.test.ts', 'allows http: charts only from a service at a private http: URL'],
    ['src/features/images/images.test.ts', 'is null if fetching or showing the chart isn’t allowed'],
  ],
  'T-85': [['net/attacks/attacks.test.ts', 'while a client pipelines 100 requests']],
};
