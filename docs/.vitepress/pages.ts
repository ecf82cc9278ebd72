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
        text: 'Embed a card',
        link: '/embed',
        about: 'script tag, snippet, npm and frameworks, server rendering, iframe, Content-Security-Policy, languages',
      },
      { text: 'Style a card', link: '/style', about: 'layouts, dark mode, custom properties, parts, states, slots' },
      {
        text: 'Include the card from any server',
        link: '/fragments',
        about: 'the card as HTML for PHP, Java, nginx, and edge includes',
      },
      {
        text: 'Earlier runs',
        link: '/earlier-runs',
        about: 'overdue sources, earlier findings, permanent links, an Atom feed, and what is kept for how long',
      },
      { text: 'The AI label', link: '/ai-label', about: 'how AI texts are labeled, for readers and for machines' },
      { text: 'Withhold a text', link: '/withhold', about: 'stop showing a wrong AI text, and which copies remain' },
      {
        text: 'Show pulses in a chat',
        link: '/chat',
        about: 'Claude Desktop, VS Code, ChatGPT: an MCP server with two tools that only read',
      },
    ],
  },
  {
    text: 'Private cards',
    items: [
      {
        text: 'Embed behind a login',
        link: '/embed-behind-a-login',
        about: 'mount the BFF in an Express application, or sign tokens in any backend',
      },
      {
        text: 'Next.js',
        link: '/nextjs',
        about: 'private cards with the App Router: route handler, session, sign-out, policy with a nonce',
      },
      {
        text: 'Test your portal',
        link: '/test-your-portal',
        about: 'pulses, failures, and a service for the tests of your pages and server',
      },
    ],
  },
  {
    text: 'Operate',
    items: [
      { text: 'Install', link: '/operate/install', about: 'image, Compose, Kubernetes, systemd, npm' },
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
        text: 'Troubleshoot',
        link: '/operate/troubleshoot',
        about: 'every error code, console line and log line with cause and fix',
      },
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
      {
        text: 'Configuration variables',
        link: '/reference/configuration',
        about: 'every environment variable of BFF and service',
      },
      { text: 'Commands', link: '/reference/commands', about: 'pulse-bff, pulse-service, and pulse-mcp' },
      { text: 'Routes', link: '/reference/routes', about: 'every route of the BFF' },
      { text: 'Error codes', link: '/reference/errors', about: 'the closed list of codes' },
      { text: 'Metrics', link: '/reference/metrics', about: 'every Prometheus metric' },
    ],
  },
  {
    text: 'Project',
    items: [
      { text: 'Good first issues', link: '/good-first-issues', about: 'ten tasks of about an hour for newcomers' },
      { text: 'Decisions', link: '/decisions/', about: 'why it is built this way' },
      { text: 'Threats', link: '/threats', about: 'attacks and defenses, each with tests' },
    ],
  },
];
