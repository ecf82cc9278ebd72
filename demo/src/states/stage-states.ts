/** The states that the stage can show. `value` is a state of the stand-in. */
export const STAGE_STATES = [
  { value: 'fresh', label: 'Fresh' },
  { value: 'loading', label: 'Loading' },
  { value: 'stale', label: 'Earlier version' },
  { value: 'overdue', label: 'Overdue' },
  { value: 'delayed', label: 'Updates delayed' },
  { value: 'paused', label: 'Updates paused' },
  { value: 'withheld', label: 'Text withheld' },
  { value: 'history', label: 'Earlier findings' },
  { value: 'null-imageUrl', label: 'No chart in the pulse' },
  { value: 'null-aiSummaryShort', label: 'No finding' },
  { value: 'null-aiSummaryLong', label: 'No analysis' },
  { value: 'null-completedAt', label: 'No time' },
  { value: 'no-picture', label: 'Image missing' },
  { value: 'pulse_not_found', label: 'No chart yet' },
  { value: 'upstream_unavailable', label: 'Error' },
  { value: 'source_unknown', label: 'Unknown source' },
  { value: 'token_forbidden', label: 'No access' },
  { value: 'origin_forbidden', label: 'Site not allowed' },
  { value: 'signed_out', label: 'Signed out' },
] as const;

/** The option that shows one card for each state in a grid. */
export const ALL_STATES = { value: 'all', label: 'All states' } as const;
