import type { Plugin } from 'vite';

/** The pages of the demo, in the order of the navigation. */
export const PAGES = [
  { file: 'index.html', path: '/', title: 'Preview' },
  { file: 'board.html', path: '/board.html', title: 'Board' },
  { file: 'states.html', path: '/states.html', title: 'States' },
  { file: 'themes.html', path: '/themes.html', title: 'Themes' },
  { file: 'surroundings.html', path: '/surroundings.html', title: 'Surroundings' },
] as const;

/** Puts what all pages share into each of them: it is there with the first byte, so nothing jumps. */
export function shellPlugin(bffUrl: string): Plugin {
  return {
    name: 'demo-shell',
    transformIndexHtml: {
      order: 'pre',
      handler: (page, { path }) =>
        page
          .replace('<!--shell-head-->', head(bffUrl))
          .replace('<!--shell-header-->', header(path))
          .replace('<!--shell-footer-->', FOOTER),
    },
  };
}

/** The card comes by a script tag from the BFF, as on any site. */
function head(bffUrl: string): string {
  return `<meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="pulse-bff" content="${bffUrl}" />
    <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}" />
    <script>document.documentElement.dataset.scheme = localStorage.getItem('scheme') ?? 'auto';</script>
    <link rel="stylesheet" href="/src/shell/shell.css" />
    <script type="module" crossorigin src="${bffUrl}/pulse-card.js" vite-ignore></script>
    <script type="module" src="/src/shell/shell.ts"></script>`;
}

function header(path: string): string {
  const links = PAGES.map(({ file, path: href, title }) => {
    const current = path.endsWith(`/${file}`) ? ' aria-current="page"' : '';
    return `<a href="${href}"${current}>${title}</a>`;
  });
  return `<a class="skip" href="#main">Skip to content</a>
    <header class="bar">
      <div class="bar-inner">
        <a class="brand" href="/">${ICON}<span>Pulse Card</span></a>
        <nav aria-label="Pages">${links.join('')}</nav>
        <fieldset class="scheme"><legend class="unseen">Colour scheme</legend>${['auto', 'light', 'dark'].map(schemeChoice).join('')}</fieldset>
      </div>
    </header>
    <div id="notice" class="notice" role="status" hidden></div>`;
}

function schemeChoice(scheme: string): string {
  const title = scheme[0]?.toUpperCase() + scheme.slice(1);
  return `<label><input type="radio" name="scheme" value="${scheme}" /><span>${title}</span></label>`;
}

const FOOTER = `<footer class="foot">
      <p>The commentary in this demo is <strong>computed by a script</strong> from public data sets, and a test recomputes its numbers.
      The card labels it as AI-generated, because that is what these fields hold in the service.</p>
      <p>Data: US Bureau of Labor Statistics, NOAA, Scripps CO₂ Program, Bureau of Transportation Statistics, US Energy Information
      Administration, Gapminder and others, as collected in <code>vega-datasets</code>.</p>
    </footer>`;

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><rect width="24" height="24" rx="6" fill="#3538cd"/><path d="M4 14h3.5l2-6 4 9 2.2-5H20" fill="none" stroke="#fff" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
