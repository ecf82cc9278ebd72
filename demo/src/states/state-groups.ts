import { ERROR_STATUS } from '@pulse-card/contract';
import { CASES, STATUS_EXAMPLES, USUAL_SOURCE_ID, type CaseId } from '../../data/demo-ids.ts';
import { HANGING, HUNG_UP } from '../../answers/answers.ts';

/** A card in one state, and how it comes to be in it. */
export interface Specimen {
  readonly id: string;
  readonly title: string;
  readonly how: string;
  readonly sourceId: string;
  /** Where it asks; the demo's BFF when left out. */
  readonly answers?: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** States that belong together. */
export interface StateGroup {
  readonly id: string;
  readonly title: string;
  readonly intro: string;
  readonly specimens: readonly Specimen[];
}

/** Every state of the card. Each is reached as on any page: by a source's own data, or by what a BFF answers. */
export const STATE_GROUPS: readonly StateGroup[] = [
  {
    id: 'life',
    title: 'The life of a card',
    intro: 'From the first moment on the page to the last good answer in an outage.',
    specimens: [
      answered('loading', 'Loading', HANGING, 'The answer is on its way'),
      listed('ready', 'Ready', USUAL_SOURCE_ID),
      { ...listed('open', 'Ready and unfolded', USUAL_SOURCE_ID), attributes: { open: '' }, how: 'open' },
      answered('stale', 'Stale', 'stale', 'meta.stale is true'),
      listed('empty', 'Empty', STATUS_EXAMPLES.PENDING),
      answered('error', 'Error', 'upstream_unavailable', '503 upstream_unavailable'),
    ],
  },
  {
    id: 'variants',
    title: 'Variants',
    intro: 'The same pulse where there is less room, or less to say.',
    specimens: ['card', 'compact', 'chart', 'text'].map((variant) => ({
      ...listed(`variant-${variant}`, sentence(variant), USUAL_SOURCE_ID),
      attributes: { variant },
      how: `variant="${variant}"`,
    })),
  },
  {
    id: 'statuses',
    title: 'Status of the source',
    intro: 'Readers are told of the two that matter to them; an unknown status changes nothing.',
    specimens: [
      ...Object.entries(STATUS_EXAMPLES).map(([status, sourceId]) => listed(`status-${status}`, status, sourceId)),
      answered('status-unknown', 'A status yet unknown', 'unknown-status', 'source.status is "PAUSED"'),
    ],
  },
  {
    id: 'missing',
    title: 'Missing fields',
    intro: 'Every field that may be null, one at a time, and all at once.',
    specimens: casesWith(
      'src_case_null_',
      'src_case_blank',
      'src_case_no_run',
      'src_case_only_failed',
      'src_case_archived',
    ),
  },
  {
    id: 'texts',
    title: 'Awkward texts',
    intro: 'Long, without a break, from right to left, with markup that must stay text.',
    specimens: casesWith(
      'src_case_long',
      'src_case_arabic',
      'src_case_hebrew',
      'src_case_mark',
      'src_case_controls',
      'src_case_emoji',
      'src_case_renamed',
    ),
  },
  {
    id: 'languages',
    title: 'A page from right to left',
    intro: 'The words of the card, its dates and its direction follow the page.',
    specimens: [
      {
        ...listed('page-ar', 'Arabic page', 'src_case_arabic'),
        attributes: { lang: 'ar', dir: 'rtl' },
        how: 'lang="ar" dir="rtl"',
      },
      {
        ...listed('page-he', 'Hebrew page', 'src_case_hebrew'),
        attributes: { lang: 'he', dir: 'rtl' },
        how: 'lang="he" dir="rtl"',
      },
      {
        ...listed('page-ar-en', 'English pulse on an Arabic page', USUAL_SOURCE_ID),
        attributes: { lang: 'ar', dir: 'rtl' },
        how: 'lang="ar" dir="rtl"',
      },
    ],
  },
  {
    id: 'charts',
    title: 'Awkward charts',
    intro: 'Another shape than 16 to 9, and one that does not load.',
    specimens: [
      ...casesWith('src_case_square_chart', 'src_case_tall_chart'),
      answered('broken-image', 'A chart that does not load', 'broken-image', 'pulse.imageUrl leads nowhere'),
    ],
  },
  {
    id: 'errors',
    title: 'Errors',
    intro: 'Every code that a BFF can answer, and what a network can do besides. Those worth another try offer one.',
    specimens: [
      ...Object.entries(ERROR_STATUS).map(([code, status]) =>
        answered(`error-${code}`, sentence(code), code, `${status} ${code}`),
      ),
      answered('hung-up', 'Connection lost', HUNG_UP, 'The connection breaks off, also the next three times'),
      answered('bad-json', 'Half an answer', 'bad-json', 'JSON that ends too early, four times'),
      answered('wrong-shape', 'Another kind of answer', 'wrong-shape', 'JSON of another shape, four times'),
    ],
  },
];

function sentence(code: string): string {
  return code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ');
}

function listed(id: string, title: string, sourceId: string): Specimen {
  return { id, title, sourceId, how: sourceId };
}

function answered(id: string, title: string, answers: string, how: string): Specimen {
  return { id, title, answers, how, sourceId: USUAL_SOURCE_ID };
}

function casesWith(...starts: string[]): Specimen[] {
  const cases = CASES.filter(({ id }: { id: CaseId }) => starts.some((start) => id.startsWith(start)));
  return cases.map(({ id, title }) => listed(id, title, id));
}
