import { idSchema } from '@pulse-card/contract';
import { z } from 'zod';
import type {
  SharedAnswers,
  SharedDemand,
  SharedFailure,
  SharedFinding,
  SharedList,
  SharedListener,
  SharedPulse,
} from '../cache/shared-answers.ts';
import type { Clock } from '../clock.ts';
import { LIST_ID } from '../freshness/refresh-planner.ts';
import type { RedisLedger } from './redis-ledger.ts';
import type { RedisLink } from './redis-link.ts';
import {
  failureValueSchema,
  listValueSchema,
  MOST_MET,
  openedValue,
  pulseValueSchema,
  sealedValue,
} from './shared-value.ts';
import type { Tenant } from './tenant.ts';

/** Nothing longer is read off a channel. */
const LONGEST_MESSAGE = 64 * 1024;

/** Counts of so many sources fit into one message, however long their ids are. */
const COUNTS_PER_MESSAGE = 400;

const MAX_COUNT = 100_000;

const countsSchema = z.record(idSchema, z.number().int().min(0).max(MAX_COUNT));

const messageSchema = z.union([
  z.object({ from: z.string().max(100), subject: z.string().max(200) }),
  z.object({ from: z.string().max(100), views: countsSchema, readers: countsSchema }),
]);

export interface RedisAnswersOptions {
  readonly link: RedisLink;
  readonly ledger: RedisLedger;
  readonly clock: Clock;
  readonly instance: string;
  readonly tenant: () => Tenant;
  /** How long answers are worth keeping, in ms. */
  readonly keepForMs: number;
  /** @default nothing is said */
  readonly warn?: (sentence: string) => unknown;
}

/** What all instances know together, in Redis: each value sealed, checked when read, and written by a newer fence alone. */
export class RedisAnswers implements SharedAnswers {
  readonly #options: RedisAnswersOptions;
  readonly #listeners = new Set<SharedListener>();
  #channel: string | undefined;

  constructor(options: RedisAnswersOptions) {
    this.#options = options;
    options.ledger.onJoined(() => this.#joined());
  }

  get leads(): boolean {
    return this.#options.ledger.leads;
  }

  listen(listener: SharedListener): void {
    this.#listeners.add(listener);
    if (this.#options.ledger.isJoined) this.#joined();
  }

  async look(subject: string): Promise<SharedFinding> {
    const { link, tenant: tenantNow } = this.#options;
    const tenant = tenantNow();
    const keys = { answer: tenant.key('answer', subject), rest: tenant.key('rest', subject) };
    try {
      const [[fence, answer], rest] = await link.read(keys.answer, ['fence', 'body'], keys.rest);
      const found = { ...this.#answerIn(tenant, subject, answer), failure: this.#failureIn(tenant, subject, rest) };
      const rank = (found.list ?? found.pulse)?.fence;
      if (rank !== undefined) this.#options.ledger.sawFence(rank);
      // What is no answer would keep all instances waiting for one.
      if (fence !== null && String(rank) !== fence) void link.forget(keys.answer).catch(() => {});
      if (rest !== null && found.failure === undefined) void link.forget(keys.rest).catch(() => {});
      return found;
    } catch {
      return {};
    }
  }

  keepPulse(sourceId: string, { pulse, ...asked }: SharedPulse): void {
    this.#keep(sourceId, asked, { kind: 'pulse', pulse });
  }

  keepList({ rows, unreadableRows, met, ...asked }: SharedList): void {
    this.#keep(LIST_ID, asked, { kind: 'list', rows, unreadableRows, met: met.slice(0, MOST_MET) });
  }

  forget(subject: string): void {
    const { link, tenant } = this.#options;
    void link.forget(tenant().key('answer', subject)).catch(() => {});
  }

  keepFailure(subject: string, { code, detail, status, retryInMs }: SharedFailure): void {
    const { link, ledger, clock, tenant: tenantNow, instance } = this.#options;
    const tenant = tenantNow();
    const untilMs = Math.round(ledger.sharedTime(clock.now() + retryInMs));
    const body = this.#sealed(tenant, subject, { kind: 'failure', subject, code, detail, status, untilMs });
    if (body === undefined || !ledger.isJoined) return;
    const message = JSON.stringify({ from: instance, subject });
    const keys = [tenant.key('rest', subject), tenant.key('leases')];
    const keepMs = Math.max(1, Math.round(retryInMs));
    void link.rest(...keys, body, keepMs, tenant.key('news'), message, subject, instance).catch(() => {});
  }

  tellDemand({ views, readers }: Omit<SharedDemand, 'instance'>): void {
    const { link, tenant, instance } = this.#options;
    for (const part of [...partsOf(views, 'views'), ...partsOf(readers, 'readers')]) {
      const message = JSON.stringify({ from: instance, views: {}, readers: {}, ...part });
      void link.tell(tenant().key('news'), message).catch(() => {});
    }
  }

  #keep(subject: string, asked: Omit<SharedPulse, 'pulse'>, value: object): void {
    const { link, ledger, tenant: tenantNow, instance, keepForMs } = this.#options;
    const tenant = tenantNow();
    const { fence, requestedAtMs, owner } = asked;
    // Meanwhile the key may be another, whose names are not for this answer.
    if (owner.keyName !== tenant.keyName) return;
    const account = owner.account === undefined ? null : tenant.encrypt(owner.account);
    const askedAtMs = Math.max(0, ledger.sharedTime(asked.askedAt));
    const body = this.#sealed(tenant, subject, { ...value, subject, fence, askedAtMs, requestedAtMs, account });
    if (body === undefined || !ledger.isJoined) return;
    const keys = [tenant.key('answer', subject), tenant.key('rest', subject), tenant.key('leases')];
    const message = JSON.stringify({ from: instance, subject });
    void link.keep(...keys, fence, body, keepForMs, tenant.key('news'), message, subject).catch(() => {});
  }

  #sealed(tenant: Tenant, subject: string, value: object): string | undefined {
    const body = sealedValue(tenant, value);
    if (body === undefined)
      this.#options.warn?.(`Cannot share what is known of "${subject}" over Redis: it is too long`);
    return body;
  }

  #answerIn(tenant: Tenant, subject: string, written: unknown): SharedFinding {
    const schema = subject === LIST_ID ? listValueSchema : pulseValueSchema;
    const value = openedValue(tenant, { schema, subject, written });
    if (!value) return {};
    const { clock, ledger } = this.#options;
    const { fence, requestedAtMs, askedAtMs } = value;
    const account = value.account === null ? undefined : tenant.decrypt(value.account);
    if (account === undefined && value.account !== null) return {};
    const owner = { account, keyName: tenant.keyName };
    const asked = { fence, requestedAtMs, owner, askedAt: Math.min(clock.now(), ledger.ownTime(askedAtMs)) };
    if (value.kind === 'list') {
      const { rows, unreadableRows, met } = value;
      return { list: { ...asked, rows, unreadableRows, met } };
    }
    if (value.pulse !== null && value.pulse.sourceId !== subject) return {};
    return { pulse: { ...asked, pulse: value.pulse } };
  }

  #failureIn(tenant: Tenant, subject: string, written: unknown): SharedFailure | undefined {
    const value = openedValue(tenant, { schema: failureValueSchema, subject, written });
    if (!value) return undefined;
    const { clock, ledger } = this.#options;
    const retryInMs = Math.min(300_000, ledger.ownTime(value.untilMs) - clock.now());
    if (retryInMs <= 0) return undefined;
    return { code: value.code, detail: value.detail, status: value.status, retryInMs };
  }

  #joined(): void {
    const channel = this.#options.tenant().key('news');
    if (channel !== this.#channel) {
      this.#channel = channel;
      const onMessage = (message: string): void => this.#heard(message);
      this.#options.link.listen(channel, { onMessage, onMissed: () => this.#tell('onJoined') });
    }
    this.#tell('onJoined');
  }

  #tell(what: 'onJoined'): void {
    for (const listener of this.#listeners) listener[what]();
  }

  #heard(text: string): void {
    const message = text.length > LONGEST_MESSAGE ? undefined : messageIn(text);
    if (!message) return void this.#options.warn?.('A message over Redis is not one of ours: it is ignored');
    if (message.from === this.#options.instance) return;
    for (const listener of this.#listeners)
      if ('subject' in message) listener.onNews(message.subject);
      else listener.onDemand({ instance: message.from, views: message.views, readers: message.readers });
  }
}

function messageIn(text: string): z.output<typeof messageSchema> | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Counts in parts that are short enough for a message each. */
function* partsOf(
  counts: Readonly<Record<string, number>>,
  name: 'views' | 'readers',
): Generator<Partial<Pick<SharedDemand, 'views' | 'readers'>>> {
  const entries = Object.entries(counts).map(([id, count]) => [id, Math.min(MAX_COUNT, count)] as const);
  for (let from = 0; from < entries.length; from += COUNTS_PER_MESSAGE)
    yield { [name]: Object.fromEntries(entries.slice(from, from + COUNTS_PER_MESSAGE)) };
}
