import type { StatusDocument } from '@pulse-card/bff';
import { html, nothing, type TemplateResult } from 'lit';

/** Withheld runs that aren't the latest run of a known source: earlier runs, and runs of sources not requested yet. */
export function otherRuns({ runs, latestRuns }: NonNullable<StatusDocument['withheld']>): string[] {
  const latest = new Set(Object.values(latestRuns));
  return runs.filter((run) => !latest.has(run));
}

/** The withheld text that the sources table doesn't show. */
export function withheldRunsTemplate({ withheld }: StatusDocument): TemplateResult | typeof nothing {
  const runs = withheld === undefined ? [] : otherRuns(withheld);
  if (runs.length === 0) return nothing;
  return html`<section class="panel withheld" aria-labelledby="withheld-title">
    <header>
      <h2 id="withheld-title">Withheld text <small>of other runs</small></h2>
    </header>
    <table aria-labelledby="withheld-title">
      <tbody>
        ${runs.map(
          (run) =>
            html`<tr>
              <th scope="row"><code>${run}</code></th>
              <td class="number">
                ${withheld?.isWritable ? html`<withhold-button .run=${run} .name=${run} .isWithheld=${true}></withhold-button>` : nothing}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}
