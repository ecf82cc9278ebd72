/** A page of the site. */
export interface Page {
  readonly text: string;
  /** Without `.md`. */
  readonly link: string;
  /** What is in it, in a line. */
  readonly about: string;
}

/** Pages that belong together. */
export interface Section {
  readonly text: string;
  readonly items: readonly Page[];
}

/** The pages of the site in the order of the sidebar. */
export const SECTIONS: readonly Section[] = [
  {
    text: 'Get started',
    items: [
      { text: 'What it is', link: '/what-it-is', about: 'the card and the BFF, and who they are for' },
      { text: 'Quickstart', link: '/get-started', about: 'a card on your own page in five minutes' },
      { text: 'How it works', link: '/how-it-works', about: 'caching, the budget, outages, limits' },
      {
        text: 'Glossary',
        link: '/glossary',
        about: 'eight words: source, provider, run, pulse, finding, BFF, origin, token',
      },
    ],
  },
  {
    text: 'Embed',
    items: [
      {
        text: 'HTML',
        link: '/embed',
        about: 'script tag, snippet, actions, live cards, and what readers see when something fails',
      },
      { text: 'React, Vue, Svelte', link: '/cards/frameworks', about: 'the npm package, components, and types' },
      {
        text: 'WordPress and other sites',
        link: '/cards/other-sites',
        about: 'what to paste where, and what sites remove',
      },
      {
        text: 'Iframe and oEmbed',
        link: '/cards/iframe',
        about: 'for sites that allow no third-party script, and for pasted links',
      },
      { text: 'Server rendering', link: '/cards/server-rendering', about: 'the card as HTML from a Node server' },
      {
        text: 'Include from any server',
        link: '/fragments',
        about: 'the card as HTML for PHP, Java, nginx, and edge includes',
      },
      { text: 'Board', link: '/cards/board', about: 'all sources of an account as cards' },
      { text: 'Style', link: '/style', about: 'layouts, dark mode, custom properties, parts, states, slots' },
      { text: 'Languages', link: '/cards/languages', about: '17 languages, your own words, right to left' },
      { text: 'Content-Security-Policy', link: '/cards/csp', about: 'policies for strict pages' },
      { text: 'Accessibility', link: '/cards/accessibility', about: 'what a card does, and what your page must do' },
      {
        text: 'Earlier runs',
        link: '/earlier-runs',
        about: 'overdue sources, earlier findings, permanent links, and a feed',
      },
      { text: 'The AI label', link: '/ai-label', about: 'how AI texts are labeled, for readers and for machines' },
      { text: 'Withhold a text', link: '/withhold', about: 'stop showing a wrong AI text, and which copies remain' },
      {
        text: 'Chats',
        link: '/chat',
        about: 'Claude Desktop, VS Code, ChatGPT: an MCP server with two tools that only read',
      },
    ],
  },
  {
    text: 'Private cards',
    items: [
      { text: 'Choose a way', link: '/embed-behind-a-login', about: 'mount the BFF, or sign tokens' },
      {
        text: 'Next.js',
        link: '/nextjs',
        about: 'the App Router: route handler, session, sign-out, policy with a nonce',
      },
      { text: 'Express', link: '/private/mount', about: 'mount the BFF behind your session' },
      { text: 'Tokens', link: '/private/tokens', about: 'sign tokens in any backend' },
      {
        text: 'Sign-out and the Back button',
        link: '/private/sign-out',
        about: 'what cards remove, and what your page must do',
      },
      {
        text: 'Test your portal',
        link: '/test-your-portal',
        about: 'pulses, failures, readers, and a service for your tests',
      },
    ],
  },
  {
    text: 'Operate',
    items: [
      { text: 'Install', link: '/operate/install', about: 'image, Compose, systemd, npm' },
      { text: 'Small hosts', link: '/operate/small-hosts', about: 'Fly, Render, Cloud Run, plain PHP hosting' },
      { text: 'Kubernetes', link: '/operate/kubernetes', about: 'manifests with probes, policies, and Redis' },
      {
        text: 'Configure',
        link: '/operate/configure',
        about: 'which variable for which purpose, charts through the BFF, the private port',
      },
      {
        text: 'Proxies and caches',
        link: '/operate/proxy',
        about: 'TRUST_PROXY, Caddy, nginx, Varnish, response headers',
      },
      { text: 'Scale', link: '/operate/scale', about: 'one instance, several with Redis, a CDN' },
      { text: 'Monitor', link: '/operate/monitor', about: 'Prometheus alert rules, Grafana dashboard, probes, log' },
      {
        text: 'Troubleshoot a card',
        link: '/operate/troubleshoot',
        about: 'error codes and console lines with cause and fix',
      },
      {
        text: 'Troubleshoot the server',
        link: '/operate/troubleshoot-server',
        about: 'log lines and old charts with cause and fix',
      },
      { text: 'Rotate keys', link: '/operate/rotate-keys', about: 'API key, token keys, webhook' },
      { text: 'Upgrade', link: '/operate/upgrade', about: 'order of upgrades, going back' },
      { text: 'Back up', link: '/operate/back-up', about: 'what to keep and what not' },
      {
        text: 'Static export',
        link: '/operate/static-export',
        about: 'cards as files from a cron job, with no server',
      },
      {
        text: 'Data protection',
        link: '/data-protection',
        about: 'what a card asks for and keeps, and what each host learns',
      },
    ],
  },
  {
    text: 'Reference',
    items: [
      {
        text: 'Elements',
        link: '/reference/elements',
        about: 'attributes, properties, methods, events, slots, parts, states, custom properties',
      },
      { text: 'JavaScript API', link: '/reference/javascript', about: 'every export of the npm packages, with types' },
      {
        text: 'HTTP API',
        link: '/reference/http',
        about: 'every route of the BFF with parameters, responses, and schemas',
      },
      {
        text: 'Configuration',
        link: '/reference/configuration',
        about: 'every variable with type, range, default, and example',
      },
      {
        text: 'Commands',
        link: '/reference/commands',
        about: 'pulse-bff, pulse-service, and pulse-mcp with sample output',
      },
      { text: 'Error codes', link: '/reference/errors', about: 'the closed list of codes, and who fixes each' },
      {
        text: 'Log, status, and alerts',
        link: '/reference/log',
        about: 'fields of log lines, /status, and alert messages',
      },
      { text: 'Metrics', link: '/reference/metrics', about: 'every Prometheus metric with its labels' },
    ],
  },
  {
    text: 'Project',
    items: [
      { text: 'Security model', link: '/security', about: 'what is protected, promised, and not promised' },
      { text: 'Threats', link: '/threats', about: 'attacks and defenses, each with tests' },
      { text: 'Decisions', link: '/decisions/', about: 'why it is built this way' },
      { text: 'Good first issues', link: '/good-first-issues', about: 'ten tasks of about an hour for newcomers' },
    ],
  },
];
