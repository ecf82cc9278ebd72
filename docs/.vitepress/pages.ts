/** A page of the site. */
export interface Page {
  readonly text: string;
  /** Without `.md`. */
  readonly link: string;
  /** Its content, in one line. */
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
      { text: 'What it is', link: '/what-it-is', about: 'what the card and the BFF do, and who they are for' },
      { text: 'Quickstart', link: '/get-started', about: 'how to add a card to your own page in five minutes' },
      {
        text: 'How it works',
        link: '/how-it-works',
        about: 'how caching and the call budget work, what happens in an outage, and which limits apply',
      },
      {
        text: 'Glossary',
        link: '/glossary',
        about: 'what the words source, provider, run, pulse, finding, BFF, origin, and token mean',
      },
    ],
  },
  {
    text: 'Embed',
    items: [
      {
        text: 'HTML',
        link: '/embed',
        about: 'how to add a card with a script tag or snippet, and what readers see when something fails',
      },
      {
        text: 'React, Vue, Svelte',
        link: '/cards/frameworks',
        about: 'how to use the npm package, its components, and its types',
      },
      {
        text: 'WordPress and other sites',
        link: '/cards/other-sites',
        about: 'what to paste on which site, and what sites remove',
      },
      {
        text: 'Iframe and oEmbed',
        link: '/cards/iframe',
        about: 'how to show cards on sites that don’t allow third-party scripts, and as previews of pasted links',
      },
      { text: 'Server rendering', link: '/cards/server-rendering', about: 'how a Node server sends the card as HTML' },
      {
        text: 'Include from any server',
        link: '/fragments',
        about: 'how PHP, Java, nginx, or an edge cache includes the card as HTML',
      },
      { text: 'Board', link: '/cards/board', about: 'how to show all sources in an account as cards' },
      { text: 'Style', link: '/style', about: 'how to change layout, colors, fonts, and content' },
      { text: 'Languages', link: '/cards/languages', about: 'which languages are included, and how to add your own' },
      { text: 'Content-Security-Policy', link: '/cards/csp', about: 'which policy a strict page needs' },
      {
        text: 'Accessibility',
        link: '/cards/accessibility',
        about: 'what a card does for accessibility, and what your page must do',
      },
      {
        text: 'Earlier runs',
        link: '/earlier-runs',
        about: 'how to show overdue sources, earlier findings, permanent links, and a feed',
      },
      { text: 'The AI label', link: '/ai-label', about: 'how AI texts are labeled, for readers and for machines' },
      {
        text: 'Withhold AI text',
        link: '/withhold',
        about: 'how to stop showing incorrect AI commentary, and which copies remain',
      },
      {
        text: 'Chats',
        link: '/chat',
        about: 'how to show pulses in Claude Desktop, VS Code, and ChatGPT',
      },
    ],
  },
  {
    text: 'Private cards',
    items: [
      { text: 'Choose a way', link: '/embed-behind-a-login', about: 'when to mount the BFF, and when to sign tokens' },
      {
        text: 'Next.js',
        link: '/nextjs',
        about: 'how to add private cards to a Next.js application',
      },
      { text: 'Express', link: '/private/mount', about: 'how to mount the BFF behind your session' },
      { text: 'Tokens', link: '/private/tokens', about: 'how to sign tokens in any backend' },
      {
        text: 'Sign-out and the Back button',
        link: '/private/sign-out',
        about: 'what cards remove after a sign-out, and what your page must do',
      },
      {
        text: 'Test your portal',
        link: '/test-your-portal',
        about: 'how to use fake pulses, failures, readers, and a fake service in your tests',
      },
    ],
  },
  {
    text: 'Operate',
    items: [
      {
        text: 'Install',
        link: '/operate/install',
        about: 'how to start the BFF with an image, Compose, systemd, or npm',
      },
      {
        text: 'Small hosts',
        link: '/operate/small-hosts',
        about: 'how to use Fly, Render, Cloud Run, or plain PHP hosting',
      },
      {
        text: 'Kubernetes',
        link: '/operate/kubernetes',
        about: 'how to apply manifests with probes, policies, and Redis',
      },
      {
        text: 'Configure',
        link: '/operate/configure',
        about: 'which variable to set for which purpose, and how to reach the private port',
      },
      {
        text: 'Proxies and caches',
        link: '/operate/proxy',
        about: 'how to configure Caddy, nginx, Varnish, and CDNs, and what the response headers mean',
      },
      { text: 'Scale', link: '/operate/scale', about: 'when to add instances, Redis, or a CDN' },
      {
        text: 'Monitor',
        link: '/operate/monitor',
        about: 'how to use alerts, Prometheus, Grafana, probes, and the log',
      },
      {
        text: 'Troubleshoot a card',
        link: '/operate/troubleshoot',
        about: 'which problem causes which error code or console line, and how to fix it',
      },
      {
        text: 'Troubleshoot the server',
        link: '/operate/troubleshoot-server',
        about: 'which problem causes which log line, and how to fix it',
      },
      {
        text: 'Rotate keys',
        link: '/operate/rotate-keys',
        about: 'how to replace the API key, token keys, and the alert webhook',
      },
      { text: 'Upgrade', link: '/operate/upgrade', about: 'how to upgrade, and how to go back' },
      { text: 'Back up', link: '/operate/back-up', about: 'what needs a backup, and what doesn’t' },
      {
        text: 'Static export',
        link: '/operate/static-export',
        about: 'how to serve cards as files that a cron job writes',
      },
      {
        text: 'Data protection',
        link: '/data-protection',
        about: 'what a card requests and stores, and what each host learns',
      },
    ],
  },
  {
    text: 'Reference',
    items: [
      {
        text: 'Elements',
        link: '/reference/elements',
        about:
          'the attributes, properties, methods, events, slots, parts, states, and custom properties of the elements',
      },
      { text: 'JavaScript API', link: '/reference/javascript', about: 'every export of the npm packages, with types' },
      {
        text: 'HTTP API',
        link: '/reference/http',
        about: 'every route of the BFF, with its parameters, responses, and schemas',
      },
      {
        text: 'Configuration',
        link: '/reference/configuration',
        about: 'every variable, with its type, range, default, and an example',
      },
      {
        text: 'Commands',
        link: '/reference/commands',
        about: 'the commands pulse-bff, pulse-service, and pulse-mcp, with sample output',
      },
      { text: 'Error codes', link: '/reference/errors', about: 'all error codes, and who can fix each error' },
      {
        text: 'Log, status, and alerts',
        link: '/reference/log',
        about: 'the fields of log lines, /status, and alert messages',
      },
      { text: 'Metrics', link: '/reference/metrics', about: 'every Prometheus metric, with its labels' },
    ],
  },
  {
    text: 'Project',
    items: [
      { text: 'Security model', link: '/security', about: 'what is protected, promised, and not promised' },
      { text: 'Threats', link: '/threats', about: 'each possible attack, with its defense and tests' },
      { text: 'Decisions', link: '/decisions/', about: 'why Pulse Card is designed as it is' },
      {
        text: 'Good first issues',
        link: '/good-first-issues',
        about: 'ten tasks for newcomers, of about an hour each',
      },
    ],
  },
];
