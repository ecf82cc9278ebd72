import type { SourceStatus } from '@pulse-card/contract';

/** The account that the demo's key belongs to, and an account that the key must not see. */
export const DEMO_ACCOUNT_ID = 'acc_demo';
export const OTHER_ACCOUNT_ID = 'acc_other';

/** An awkward source. An awkward source isn't on the list, but can be requested by its id. */
export interface Case {
  readonly id: string;
  /** Says what is awkward about the source. */
  readonly title: string;
  /** Whether the service answers with a pulse. */
  readonly answers: 'pulse' | 'no pulse';
}

/** Every awkward source in the demo account. */
export const CASES = [
  { id: 'src_case_no_run', title: 'No run yet', answers: 'no pulse' },
  { id: 'src_case_only_failed', title: 'Only failed runs', answers: 'no pulse' },
  { id: 'src_case_null_name', title: 'No name', answers: 'pulse' },
  { id: 'src_case_null_completed_at', title: 'No time', answers: 'pulse' },
  { id: 'src_case_null_image', title: 'No chart', answers: 'pulse' },
  { id: 'src_case_null_short', title: 'No short summary', answers: 'pulse' },
  { id: 'src_case_null_long', title: 'No long analysis', answers: 'pulse' },
  { id: 'src_case_null_delivery_link', title: 'No delivery link', answers: 'pulse' },
  { id: 'src_case_null_organization', title: 'Organization without a name and slug', answers: 'pulse' },
  { id: 'src_case_null_all', title: 'Everything optional is missing', answers: 'pulse' },
  { id: 'src_case_status_pending', title: 'Status PENDING', answers: 'pulse' },
  { id: 'src_case_status_draft', title: 'Status DRAFT', answers: 'pulse' },
  { id: 'src_case_status_active', title: 'Status ACTIVE', answers: 'pulse' },
  { id: 'src_case_status_degraded', title: 'Status DEGRADED', answers: 'pulse' },
  { id: 'src_case_status_broken', title: 'Status BROKEN', answers: 'pulse' },
  { id: 'src_case_renamed', title: 'Renamed since the run', answers: 'pulse' },
  { id: 'src_case_long_text', title: 'Very long text', answers: 'pulse' },
  { id: 'src_case_long_word', title: 'Words without a break', answers: 'pulse' },
  { id: 'src_case_arabic', title: 'Arabic', answers: 'pulse' },
  { id: 'src_case_hebrew', title: 'Hebrew', answers: 'pulse' },
  { id: 'src_case_markup', title: 'Markup in text', answers: 'pulse' },
  { id: 'src_case_markdown', title: 'Markdown, and text that only looks like it', answers: 'pulse' },
  { id: 'src_case_controls', title: 'Control and direction characters', answers: 'pulse' },
  { id: 'src_case_emoji', title: 'Emoji', answers: 'pulse' },
  { id: 'src_case_blank', title: 'Blank texts', answers: 'pulse' },
  { id: 'src_case_square_chart', title: 'A square chart', answers: 'pulse' },
  { id: 'src_case_tall_chart', title: 'A tall chart', answers: 'pulse' },
  { id: 'src_case_archived', title: 'Archived', answers: 'no pulse' },
] as const satisfies readonly Case[];

/** The id of an awkward source. */
export type CaseId = (typeof CASES)[number]['id'];

/** The value of `PULSE_SOURCES` for a BFF that shows the whole demo: the listed sources and the awkward sources. */
export const DEMO_PULSE_SOURCES: string = ['listed', ...CASES.map(({ id }) => id)].join(',');

/** The source that represents the usual case. */
export const USUAL_SOURCE_ID = 'src_us_employment';

/** A listed source for each status. Answers to readers omit the status of a source that isn't listed. */
export const STATUS_EXAMPLES = {
  ACTIVE: USUAL_SOURCE_ID,
  DEGRADED: 'src_jobless_by_industry',
  BROKEN: 'src_iowa_electricity',
  DRAFT: 'src_barley_yields',
  PENDING: 'src_store_revenue',
} as const satisfies Record<SourceStatus, string>;
