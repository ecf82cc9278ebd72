import autocannon from 'autocannon';

// Loads a server to its limit where wrk is not installed; the one argument is JSON.
const { url, headers, seconds, connections } = JSON.parse(process.argv[2] ?? '{}') as {
  url: string;
  headers: Record<string, string>;
  seconds: number;
  connections: number;
};
const { requests, errors, non2xx } = await autocannon({ url, headers, duration: seconds, connections });
console.log(JSON.stringify({ perSecond: requests.average, errors: errors + non2xx }));
