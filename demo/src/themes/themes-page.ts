import { html, render } from 'lit';
import { askSources, sourceNear } from '../shell/ask-sources.ts';
import './theme-fonts.ts';
import { THEMES, themeRule, type Theme } from './themes.ts';

/** What stands around the card in each scene. */
const SCENES: Readonly<
  Record<string, { readonly masthead: string; readonly text: string; readonly sourceId: string }>
> = {
  default: {
    masthead: 'Quarterly review',
    text: 'Hiring carried on through the winter, and the year closed higher than it began.',
    sourceId: 'src_us_employment',
  },
  news: {
    masthead: 'The Morning Ledger',
    text: 'MAUNA LOA. The measuring station on the volcano has kept the longest record of its kind.',
    sourceId: 'src_co2_mauna_loa',
  },
  admin: { masthead: 'Operations', text: 'Departures by hour and weekday.', sourceId: 'src_flight_delays' },
  magazine: {
    masthead: 'Rain, rain',
    text: 'A city that is famous for its weather, counted day by day.',
    sourceId: 'src_seattle_rain',
  },
};

const sources = await askSources();

render(
  html`
    <h1>Themes</h1>
    <p class="lead">
      Four looks for four kinds of site. Each is a handful of custom properties on the card; fonts and sizes come from
      the page around it. All of them can be taken to the <a href="/">preview</a> and changed there.
    </p>
    <div class="scenes">${THEMES.map(sceneView)}</div>
  `,
  document.querySelector<HTMLElement>('#main')!,
);

function sceneView(theme: Theme) {
  const { id, title, description, scheme, properties } = theme;
  const scene = SCENES[id]!;
  const style = Object.entries(properties)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ');
  const rule = themeRule(theme);
  return html`<section aria-labelledby=${`theme-${id}`}>
    <h2 id=${`theme-${id}`}>${title}</h2>
    <p class="quiet">${description}</p>
    <div class=${`scene scene-${id}`}>
      <p class="masthead">${scene.masthead}</p>
      <p>${scene.text}</p>
      <pulse-card source-id=${sourceNear(sources, scene.sourceId)} theme=${scheme} style=${style}></pulse-card>
    </div>
    ${
      rule
        ? html`<details class="css">
            <summary>Its CSS</summary>
            <pre tabindex="0">${rule}</pre>
          </details>`
        : html`<p class="quiet">It needs no CSS.</p>`
    }
  </section>`;
}
