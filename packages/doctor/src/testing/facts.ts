import type { DoctorSettings, FetchedPage } from '../facts.ts';

/** The settings of a public BFF with two sources, one of which has a chart. */
export const settings: DoctorSettings = {
  publicUrl: 'https://pulse.test',
  allowedOrigins: ['https://www.page.test'],
  ownOrigins: ['https://pulse.test'],
  access: 'public',
  knownIds: ['src_1', 'src_bare'],
  chartUrls: new Map([['src_1', 'https://cdn.acme.test/charts/run_1.png']]),
  tokenKeys: undefined,
  failures: new Map(),
};

/** A page with this HTML. */
export const fetched = (html: string, more: Partial<FetchedPage> = {}): FetchedPage => ({
  ok: true,
  asked: 'https://www.page.test/report',
  url: 'https://www.page.test/report',
  policy: undefined,
  body: new TextEncoder().encode(html),
  ...more,
});
