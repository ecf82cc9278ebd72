import type { PulseOutcome } from '@pulse-card/contract';
import type { Request } from 'express';
import type { Base, Config } from './config.ts';
import { openAlerts } from './features/alerts/alerts.ts';
import { openEmbed } from './features/embed/embed.ts';
import { oembed } from './features/embed/oembed.ts';
import { apiDescription, serveFiles, type WidgetFiles, widgetFiles } from './features/files/files.ts';
import { History } from './features/history/history.ts';
import { sendRuns } from './features/history/runs-route.ts';
import { sendImage } from './features/images/image-route.ts';
import { openImages } from './features/images/images.ts';
import { KEYS_TEXT, openKeyExpiry } from './features/key-expiry/key-expiry.ts';
import { openMetrics } from './features/metrics/metrics.ts';
import { openMount, type PulseBffOptions } from './features/mount/mount.ts';
import { openRedis } from './features/redis/redis.ts';
import { adminApp } from './features/status/admin.ts';
import { gaugesOf } from './features/status/gauges.ts';
import { openRequestLog } from './features/status/request-log.ts';
import { openStatus } from './features/status/status.ts';
import { pageChecker } from './features/studio/check.ts';
import { openStudio } from './features/studio/studio.ts';
import { openTokens } from './features/tokens/tokens.ts';
import { openWithheld } from './features/withheld/withheld.ts';
import { permissionOf } from './http/access.ts';
import { createApp, createOperatorApp, listenerOf } from './http/app.ts';
import { openClientLimit } from './http/client-limit.ts';
import { originPolicy } from './http/origins.ts';
import { PublicFields } from './http/public-fields.ts';
import { readPulse } from './http/routes/pulses.ts';
import { Bodies } from './http/send.ts';
import { guardedClock, systemClock } from './lib/clock.ts';
import { openLog } from './lib/log.ts';
import { openOutgoing } from './lib/outgoing.ts';
import { openAnswers } from './pulses/shared-in-process.ts';
import { Pulses } from './pulses/pulses.ts';

/** A running BFF without a server. */
export type Bff = Awaited<ReturnType<typeof openBff>>;

export interface BffOptions {
  /** How the BFF fits into the application that it is mounted in. */
  readonly mount?: PulseBffOptions;
  /** Whether the process serves only the BFF, so that its start time and metrics describe the BFF. @default false */
  readonly ownsProcess?: boolean;
}

/** What every part receives when it is opened. */
interface Opening extends Base, Required<BffOptions> {
  /** Closes `part` when the BFF closes, after the parts that were opened later. Returns `part`. */
  readonly keep: <Part extends { close(): unknown } | undefined>(part: Part) => Part;
}

/** Opens the BFF. If a part can't be opened, closes those that are already open and rejects. */
export async function openBff(config: Config, { mount = {}, ownsProcess = false }: BffOptions = {}) {
  const log = openLog({ level: config.logLevel, ownsProcess });
  const clock = guardedClock(systemClock, (fault) => log.fault(fault));
  const open: ({ close(): unknown } | undefined)[] = [log];
  const keep: Opening['keep'] = (part) => (open.push(part), part);
  const close = async (): Promise<void> => {
    for (const part of open.toReversed()) await part?.close();
  };
  try {
    return { ...(await compose({ config, mount, ownsProcess, log, clock, keep })), config, log, close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/**
 * Opens every part, from the service to the reader: what is known, what readers get, and what the operator sees. To
 * remove a feature, delete its folder, its lines in this file, and its routes in `http/app.ts` (ARCHITECTURE.md).
 */
async function compose(opening: Opening) {
  const { config, log } = opening;
  for (const warning of config.warnings) log.warn(warning);
  const widget = widgetFiles();
  if (widget === undefined) log.warn('Can’t serve /pulse-card.js: the card isn’t built (npm run build)');
  let hasBegunToStop = false;
  const isStopping = () => hasBegunToStop;

  const known = await openKnown(opening);
  const operator = await openOperator(opening, known, isStopping);
  const readers = openReaders(opening, known, widget);
  const { status, metrics, requests } = operator;
  const parts = {
    ...readers.parts,
    recorders: [requests.record, status.counters.record, metrics.record],
    whyNotReady: () => status.whyNotReady(),
    isStopping,
    onFault: (fault: unknown): void => log.fault(fault, 'Can’t respond to a request'),
  };
  const router = createApp(parts);
  const { answers, pulses, tokens, withheld } = known;
  const { origins } = parts;
  const checkPage = pageChecker({ config, origins, pulses, tokens });
  const bff = createOperatorApp(parts);
  const operatorPages = openStudio({ config, origins, widget, bff, status, withheld, checkPage, log });

  pulses.start();
  await known.history.loaded();
  status.start();
  return {
    /** Responds to readers inside another program's Express application. */
    router,
    /** Responds to readers on its own server. */
    app: listenerOf(router),
    /** The status page and the Studio. They show every source. */
    operatorPages,
    /** Responds on the admin port. */
    admin: adminApp({ config, status, metrics, studio: operatorPages }),
    widget,
    /** Reads a pulse in-process. If the application controls access, the permissions of `request` apply. */
    pulse: readers.pulse,
    /** After this call, every response closes its connection, and `/readyz` returns 503. */
    beginStop: () => void (hasBegunToStop = true),
    /** Rereads the files with the key, the token keys, and the withheld runs. */
    reload: async () => {
      await Promise.all([answers.key.reload(), tokens?.reload(), withheld?.reload()]);
    },
  };
}

/** What is known: the service's responses, and what determines how readers see them. */
async function openKnown({ config, log, clock, ownsProcess, keep }: Opening) {
  const tokens = keep(await openTokens(config, { log, clock }));
  const withheld = keep(await openWithheld(config, { log, clock }));
  const { answers } = keep(await openAnswers(config, { log, clock, ownsProcess, openStore: openRedis }));
  const history = keep(new History({ clock, maxRuns: config.history, answers, log }));
  const pulses = keep(new Pulses({ answers, config, clock, onStored: (snapshot) => history.add(snapshot) }));
  const images = openImages({ config, key: answers.key, clock, log });
  return { tokens, withheld, answers, pulses, history, images };
}

type Known = Awaited<ReturnType<typeof openKnown>>;

/** What readers get, and who may see what. */
export function openReaders(
  { config, log, clock, mount, keep }: Opening,
  known: Pick<Known, 'tokens' | 'withheld' | 'pulses' | 'history' | 'images'>,
  widget: WidgetFiles | undefined,
) {
  const { tokens, withheld, pulses, history, images } = known;
  const { check, nameOf } = openMount(mount, { config, clock, log });
  const clients = keep(openClientLimit(config, nameOf));
  const fields = new PublicFields({ expose: config.expose, images, history, withheld });
  const origins = originPolicy(config.allowedOrigins, config.publicUrl);
  const bodies = new Bodies([images.signer, withheld]);
  const data = { config, pulses, fields, bodies, images, history };
  const parts = {
    ...data,
    origins,
    clients,
    checks: [...(tokens ? [images.orSigned((req) => tokens.check(req))] : []), ...(check ? [check] : [])],
    files: serveFiles(widget, config),
    apiDescription: apiDescription(config),
    image: sendImage(data),
    runs: sendRuns(data),
    oembed: oembed({ ...data, origins }),
    ...openEmbed({ ...data, scriptHash: widget?.hash }),
  };
  const pulse = async (sourceId: string, request?: Request): Promise<PulseOutcome> => {
    if (check && request === undefined)
      throw new TypeError('pulse() needs the request, because authorize() decides what the request may see');
    const { sources } = await permissionOf(request as Request, check ? [check] : [], pulses.ids);
    return readPulse(sourceId, sources, data);
  };
  return { parts, pulse };
}

/** What the operator sees: status, alerts, metrics, and the request log. */
async function openOperator(opening: Opening, known: Known, isStopping: () => boolean) {
  const { config, log, clock, ownsProcess, keep } = opening;
  const { answers, pulses, history, withheld, images } = known;
  const { key, upstream } = answers;
  const keyExpiry = openKeyExpiry({ config, key, text: answers.storedText(KEYS_TEXT), clock, log });
  const text = answers.storedText('alerts');
  const outgoing = keep(openOutgoing({ proxies: config.proxies }));
  const alerts = await openAlerts({ config, log, clock, text, outgoing });
  const seen = { answers, pulses, history, withheld, refused: images.refused, alerts, keyExpiry };
  const status = keep(openStatus({ config, log, clock, ...seen, isStopping, ownsProcess }));
  const metrics = keep(openMetrics(upstream, () => gaugesOf(status.document()), { ownsProcess }));
  const requests = keep(openRequestLog({ log, clock }));
  return { status, metrics, requests };
}
