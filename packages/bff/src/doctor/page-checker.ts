import type { PulseCache } from '../cache/port.ts';
import type { Clock } from '../clock.ts';
import type { AppConfig } from '../config.ts';
import type { WidgetFiles } from '../http/widget-files.ts';
import { type Diagnosis, type DiagnosisInput, diagnosePage } from './diagnose-page.ts';
import type { DoctorContext, PageSources, SourceFacts } from './page-context.ts';

/** What a running BFF knows that a diagnosis goes by. */
export interface PageCheckerOptions {
  readonly config: AppConfig;
  readonly cache: Pick<PulseCache, 'peek'>;
  /** Every id that is known. */
  readonly knownIds: () => readonly string[];
  readonly tokenKeys: () => DoctorContext['tokenKeys'];
  readonly sawUntrustedProxy: () => boolean;
  readonly widget: WidgetFiles | undefined;
  readonly clock: Pick<Clock, 'wallNow'>;
}

/** Makes the function that diagnoses pages for a running BFF: what it knows of sources costs no call to the service. */
export function pageChecker(options: PageCheckerOptions): (input: DiagnosisInput) => Promise<Diagnosis> {
  const { config, tokenKeys, sawUntrustedProxy, widget, clock } = options;
  const served = widget && { script: widget.script.in('identity').bytes, hash: widget.hash };
  return (input) =>
    diagnosePage(input, {
      settings: config,
      sourceFacts: async (sources) => sourceFactsOf(sources, options),
      sawUntrustedProxy: sawUntrustedProxy(),
      tokenKeys: tokenKeys(),
      widget: served,
      wallNow: () => clock.wallNow(),
    });
}

function sourceFactsOf({ ids, hasBoard }: PageSources, { config, cache, knownIds }: PageCheckerOptions): SourceFacts {
  const pulseOf = (id: string) => cache.peek(id)?.value.pulse;
  // A tag that is suggested names the first of them: one that has something to show.
  const known = knownIds().toSorted((a, b) => Number(!pulseOf(a)) - Number(!pulseOf(b)));
  const onPage = [...new Set([...ids, ...(hasBoard ? known : [])])];
  const chartUrls = onPage.flatMap((id) => pulseOf(id)?.imageUrl ?? []);
  return { knownIds: config.sources.any ? undefined : known, chartUrls };
}
