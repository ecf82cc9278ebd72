import type { Feature, Gauges } from '../../feature.ts';
import type { Problem } from '../../observability/problem.ts';

/** Reports to the operator whether files can be written. `fault` returns the error code of the last write. */
export function stateFolderReport(fault: () => string | undefined): Feature {
  return {
    name: 'state-folder',
    facts: () => ({ stateDirFault: fault() ?? null }),
    problems: () => stateFolderProblems(fault()),
    gauges: () => stateFolderGauges(fault()),
  };
}

/** The problem while files can't be written. */
function stateFolderProblems(fault: string | undefined): Problem[] {
  if (fault === undefined) return [];
  return [
    {
      code: 'state_dir_unwritable',
      level: 'degraded',
      headline: `The state folder is not writable (${fault}). A restart would begin with older charts, or with none.`,
      advice: 'Free disk space, or make PULSE_STATE_DIR writable.',
    },
  ];
}

/** The metrics of a state folder. */
export function stateFolderGauges(fault: string | undefined): Gauges {
  return { state_dir_failing: ['1 while files cannot be written to PULSE_STATE_DIR', Number(fault !== undefined)] };
}
