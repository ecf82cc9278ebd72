import type { PulseBody, SourcesBody } from './service-responses.ts';
import type { Pulse } from './pulse.ts';
import type { Source } from './source.ts';

const account = { id: 'acc_1', email: 'owner@acme.test' };
const meta = { account, requestedAt: '2026-05-08T09:05:00.000Z' };

/** A healthy source. */
export const activeSource: Source = {
  id: 'src_1',
  name: 'Q2 revenue',
  provider: 'GOOGLE',
  status: 'ACTIVE',
  link: 'https://app.acme.test/admin/sources/src_1',
  connectionCount: 2,
  organizationId: 'org_1',
  organizationName: 'Acme',
  organizationSlug: 'acme',
};

/** A source in which every nullable field is null. */
export const bareSource: Source = {
  ...activeSource,
  id: 'src_bare',
  name: null,
  status: 'PENDING',
  connectionCount: 0,
  organizationName: null,
  organizationSlug: null,
};

/** A pulse in which every field has a value. */
export const fullPulse: Pulse = {
  jobRunId: 'run_1',
  sourceId: 'src_1',
  sourceName: 'Q2 revenue',
  status: 'SUCCESS',
  completedAt: '2026-05-08T09:00:12.000Z',
  imageUrl: 'https://cdn.acme.test/charts/run_1.png',
  aiSummaryShort: 'Revenue rose 12% in the second quarter.',
  aiSummaryLong: 'Revenue rose **12%** in the second quarter.\n\n- North: +18%\n- South: +4%',
  deliveryLink: 'https://chat.acme.test/archives/C1/p1',
  organizationId: 'org_1',
  organizationName: 'Acme',
  organizationSlug: 'acme',
};

/** A pulse in which every nullable field is null. */
export const barePulse: Pulse = {
  ...fullPulse,
  sourceId: 'src_bare',
  jobRunId: 'run_bare',
  sourceName: null,
  completedAt: null,
  imageUrl: null,
  aiSummaryShort: null,
  aiSummaryLong: null,
  deliveryLink: null,
  organizationName: null,
  organizationSlug: null,
};

/** The list for an account with a healthy source and a source whose optional fields are null. */
export const sourcesBody: SourcesBody = { meta, sources: [activeSource, bareSource] };

/** The response for a source with a pulse. */
export const pulseBody: PulseBody = { meta, pulse: fullPulse };

/** Responses that a client must not accept as a pulse, keyed by the error in each response. */
export const brokenPulseBodies: Readonly<Record<string, unknown>> = {
  'not an object': [],
  null: null,
  'no pulse': { meta },
  'a pulse that is null': { meta, pulse: null },
  'a run that failed': { meta, pulse: { ...fullPulse, status: 'FAILED' } },
  'no run id': { meta, pulse: { ...fullPulse, jobRunId: undefined } },
  'a path traversal instead of an id': { meta, pulse: { ...fullPulse, sourceId: '../admin' } },
};

/** Values that a nullable field of a pulse can't have, keyed by field. A client reads each of them as null. */
export const unreadablePulseFields: Readonly<Record<string, readonly unknown[]>> = {
  sourceName: [7, {}, undefined],
  completedAt: ['yesterday', '2026-11-28', '2026-11-28T09:00', '', 1_778_230_812, '28 Nov 2026 09:00 GMT', undefined],
  imageUrl: [7, ['https://cdn.acme.test/a.png'], undefined],
  aiSummaryShort: [12, false, undefined],
  aiSummaryLong: [{}, ['Revenue rose'], undefined],
  deliveryLink: [7, 'javascript:alert(1)', undefined],
  organizationName: [true, undefined],
  organizationSlug: [0, undefined],
};

/** URLs that a browser must not open, keyed by the problem with each URL. */
export const unsafeUrls: Readonly<Record<string, string>> = {
  'a script': 'javascript:alert(1)',
  'a script with a tab in its scheme': 'java\tscript:alert(1)',
  'a script in mixed case': 'JaVaScRiPt:alert(1)',
  'inline data': 'data:text/html,<script>alert(1)</script>',
  'plain http': 'http://cdn.acme.test/a.png',
  'a file': 'file:///etc/passwd',
  'a username': 'https://bank.example@evil.test/a.png',
  'no scheme': '//evil.test/a.png',
  'a scheme without slashes': 'https:evil.test/a.png',
  'a backslash': 'https:/\\evil.test/a.png',
  'a blank': 'https://evil.test/a b.png',
  nothing: '',
};
