import { z } from 'zod';

const wordSchema = z.union([z.string().max(200), z.number()]);
const countSchema = z.coerce.number().finite().nonnegative();

const replySchema = z.tuple([
  z.enum(['granted', 'in-flight-elsewhere', 'denied', 'late', 'rejoin', 'settled', 'joined', 'left']),
  wordSchema,
  wordSchema,
  countSchema,
  z.string().max(200),
  countSchema,
  countSchema,
  countSchema,
  countSchema,
  countSchema,
  countSchema,
  countSchema,
  countSchema,
  countSchema,
]);

/** How the shared account stands, by the script's word. */
export interface SharedBudgetState {
  readonly used: number;
  readonly capacity: number;
  readonly others: number;
  readonly pausedForMs: number;
  readonly starting: boolean;
  /** How full the bucket is that spreads calls evenly, and how long it does not leak. */
  readonly level: number;
  readonly heldForMs: number;
}

/** What the script says. */
export interface BudgetScriptReply {
  readonly kind: z.output<typeof replySchema>[0];
  readonly one: string | number;
  readonly two: string | number;
  /** The account's time, in ms. */
  readonly now: number;
  /** Which account it is: another one after a reset. */
  readonly epoch: string;
  /** Calls that this account has counted so far. */
  readonly counted: number;
  /** Redis's own clock, in ms. */
  readonly redisNow: number;
  readonly account: SharedBudgetState;
}

/** Reads what the script returned; undefined where it is not what the script returns. */
export function budgetScriptReply(returned: unknown): BudgetScriptReply | undefined {
  const read = replySchema.safeParse(returned);
  if (!read.success) return undefined;
  const [
    kind,
    one,
    two,
    now,
    epoch,
    counted,
    redisNow,
    used,
    capacity,
    others,
    pausedForMs,
    starting,
    level,
    heldForMs,
  ] = read.data;
  const account = { used, capacity, others, pausedForMs, starting: starting === 1, level: level / 1_000, heldForMs };
  return { kind, one, two, now, epoch, counted, redisNow, account };
}
