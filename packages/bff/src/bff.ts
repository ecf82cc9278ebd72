import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { PulseOutcome, ReadPulse } from '@pulse-card/contract';
import type { Express, Request, Response, Router } from 'express';
import type { Config } from './config.ts';
import { openAlerts } from './features/alerts/alerts.ts';
import { openEmbed } from './features/embed/embed.ts';
import { frameWarnings } from './features/embed/frame-warnings.ts';
import { oembed } from './features/embed/oembed.ts';
import { apiDescription } from './features/files/api-description.ts';
import { serveFiles } from './features/files/files.ts';
import { type WidgetFiles, widgetFiles } from './features/files/widget-files.ts';
import { History } from './features/history/history.ts';
import { sendRuns } from './features/history/runs-route.ts';
import { sendImage } from './features/images/image-route.ts';
import { Images } from './features/images/images.ts';
import { KEYS_TEXT, KeyExpiryWatch } from './features/key-expiry/key-expiry.ts';
import { openMetrics } from './features/metrics/metrics.ts';
import { openMount } from './features/mount/mount.ts';
import type { PulseBffOptions } from './features/mount/options.ts';
import { openRedis } from './features/redis/redis.ts';
import { adminApp } from './features/status/admin.ts';
import { gaugesOf } from './features/status/gauges.ts';
import { openRequestLog } from './features/status/request-log.ts';
import { Status } from './features/status/status.ts';
import { pageChecker } from './features/studio/check.ts';
import { openStudio } from './features/studio/studio.ts';
import { openTokens } from './features/tokens/tokens.ts';
import { openWithheld } from './features/withheld/withheld.ts';
import { type AppParts, createApp, createOperatorApp } from './http/app.ts';
import { originPolicy } from './http/origins.ts';
import { PublicFields } from './http/public-fields.ts';
import { readPulse } from './http/routes/pulses.ts';
import { Bodies } from './http/send.ts';
import { type Clock, guardedClock, processStartedMs, systemClock } from './lib/clock.ts';
import { type Log, openLog } from './lib/log.ts';
import { openOutgoing } from './lib/outgoing.ts';
import { openAnswers } from './pulses/shared.ts';
import { Pulses } from './pulses/pulses.ts';

/** A running BFF without a server. */
export interface Bff {
  readonly config: Config;
  readonly log: Log;
  /** Responds to readers inside another program's Express application. */
  readonly router: Router;
  /** Responds to readers on its own server. */
  readonly app: RequestListener;
  /** The status page and the Studio. They show every source. */
  readonly operatorPages: Router;
  /** Responds on the admin port. */
  readonly admin: Express;
  readonly widget: WidgetFiles | undefined;
  /** Reads a pulse in process, with the permissions of `request` if the application decides them. */
  readonly pulse: (sourceId: string, request?: Request) => Promise<PulseOutcome>;
  /** After this call, every response closes its connection, and `/readyz` returns 503. */
  readonly beginStop: () => void;
  /** Reads the files of the key, the tokens, and the withheld runs again. */
  readonly reload: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface BffOptions {
  /** How the BFF fits into the application that it is mounted in. */
  readonly mount?: PulseBffOptions;
  /** Whether the process serves only the BFF. Its start and its metrics are then those of the BFF. @default false */
  readonly ownsProcess?: boolean;
}

/** Opens the BFF. If a part can't be opened, closes those that are open, and rejects. */
export async function openBff(config: Config, options: BffOptions = {}): Promise<Bff> {
  const log = openLog({ level: config.logLevel, ownsProcess: options.ownsProcess ?? false });
  const clock = guardedClock(systemClock, (fault) => log.fault(fault));
  const closers: (() => unknown)[] = [() => log.close()];
  const close = async (): Promise<void> => {
    for (const closeOne of closers.splice(0).toReversed()) await closeOne();
  };
  try {
    return { ...(await compose(config, options, { log, clock, closers })), config, log, close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

interface Opening {
  readonly log: Log;
  readonly clock: Clock;
  /** Called in reverse order. */
  readonly closers: (() => unknown)[];
}

/** Every part, from the service to the reader. To remove a feature, delete its folder and its lines here. */
async function compose(config: Config, { mount: mounted = {}, ownsProcess = false }: BffOptions, opening: Opening) {
  const { log, clock, closers } = opening;
  let stopping = false;
  const isStopping = (): boolean => stopping;
  for (const warning of [...config.warnings, ...frameWarnings(config)]) log.warn(warning);

  const tokens = await openTokens(config, { log, clock });
  closers.push(() => tokens?.close());
  const withheld = await openWithheld(config, { log, clock });
  closers.push(() => withheld?.close());

  const startedAt = ownsProcess ? processStartedMs : undefined;
  const opened = await openAnswers(config, { log, clock, startedAt, openStore: openRedis });
  closers.push(() => opened.close());
  const { answers } = opened;
  const pulses = new Pulses({ answers, config, clock });
  closers.push(() => pulses.close());
  const outgoing = openOutgoing({ proxies: config.proxies });
  closers.push(() => outgoing.close());

  const keptText = (name: string) => answers.keptText(name);
  const accountName = () => answers.accountName;
  const warn = (text: string) => log.warn(text);
  const history = new History({ clock, maxRuns: config.history, accountName, keptText, warn });
  pulses.onStored((snapshot) => history.add(snapshot));
  answers.onPurge(() => history.clear());
  closers.push(() => history.close());
  const usesProxy = (url: URL) => outgoing.proxyHostFor(url) !== undefined;
  const images = new Images({ config, key: answers.key, clock, log, usesProxy });

  const fields = new PublicFields({
    expose: config.expose,
    imageUrlOf: (pulse) => images.urlOf(pulse),
    rhythmOf: (sourceId) => history.rhythmOf(sourceId),
    isWithheld: (run) => withheld?.has(run) ?? false,
    revision: () => `${images.period()} ${history.revision} ${withheld?.revision}`,
  });
  const origins = originPolicy(config.allowedOrigins, config.publicUrl);
  const widget = widgetFiles();
  if (widget === undefined) log.warn('Can’t serve /pulse-card.js: the card isn’t built (npm run build)');
  const data = { config, pulses, fields, bodies: new Bodies() };
  const pulseOfRun = history.pulseOfRun.bind(history);
  const { check, nameClient } = openMount(mounted, { config, clock, log });

  const keyExpiry = new KeyExpiryWatch({ config, key: answers.key, text: keptText(KEYS_TEXT), clock, log });
  const text = keptText('alerts');
  const hasAnswered = () => answers.upstream.status().hosts.some(({ lastAnswerAt }) => lastAnswerAt !== undefined);
  const problems = () => status.problems();
  const alerts = await openAlerts({ config, log, clock, text, outgoing, problems, hasAnswered });
  closers.push(() => alerts.close());
  const refused = images.refused.bind(images);
  const operator = { alerts, keyExpiry, history, withheld, refused, isStopping, ownsProcess };
  const status: Status = new Status({ config, log, clock, answers, pulses, ...operator });
  closers.push(() => status.close());
  const metrics = openMetrics({ upstream: answers.upstream, gauges: () => gaugesOf(status.state()), ownsProcess });
  closers.push(() => metrics.close());
  const requests = openRequestLog({ log, clock });
  closers.push(() => requests.close());

  const onFault = (fault: unknown): void => log.fault(fault, 'Can’t answer a request');
  const chartSizeOf = (pulse: ReadPulse) => images.sizeOf(pulse);
  const parts: AppParts = {
    ...data,
    origins,
    checks: [...(tokens ? [images.orSigned((req) => tokens.check(req))] : []), ...(check ? [check] : [])],
    recorders: [requests.record, status.record, metrics.record],
    nameClient,
    whyNotReady: () => status.whyNotReady(),
    isStopping,
    onFault,
    files: serveFiles(widget, config),
    apiDescription: apiDescription(config),
    image: sendImage({ ...data, images, pulseOfRun }),
    runs: sendRuns({ ...data, history }),
    oembed: oembed({ ...data, origins }),
    embed: openEmbed({ ...data, scriptHash: widget?.hash, chartSizeOf, pulseOfRun, onFault }),
  };
  const router = createApp(parts);
  const operatorRoutes = createOperatorApp(parts);
  const checkPage = pageChecker({ config, origins, widget, pulses, tokens });
  const operatorPages = openStudio({ config, origins, widget, bff: operatorRoutes, status, withheld, checkPage, log });

  pulses.start();
  await history.loaded();
  status.start();
  await alerts.start();
  return {
    router,
    app: (req: IncomingMessage, res: ServerResponse): void =>
      void router(req as Request, res as Response, () => res.destroy()),
    operatorPages,
    admin: adminApp({ config, status, metrics, studio: operatorPages }),
    widget,
    pulse: async (sourceId: string, request?: Request) => {
      if (check && request === undefined)
        throw new TypeError('pulse() needs the request, because authorize() decides what the request may see');
      const { sources = 'all' } = check && request ? await check(request) : {};
      if (typeof sources !== 'string') pulses.allow(sources);
      return readPulse(sourceId, sources, data);
    },
    beginStop: () => void (stopping = true),
    reload: async () => {
      await Promise.all([answers.key.reload(), tokens?.reload(), withheld?.reload()]);
    },
  };
}
