import type { Accounts, SendingNumber } from '../../accounts/index.ts';
import type { QueueBounds } from '../../admission/index.ts';
import { AppError, unavailable } from '../../core/errors.ts';
import { digestUuid, newId } from '../../core/ids.ts';
import { fingerprintJson, insertMember } from '../../core/json/index.ts';
import { allNow, type Now } from '../../core/now.ts';
import { type DispatchOutcome, flowIdOf, trafficClassOfCategory } from '../../dispatch/index.ts';
import type { Caller } from '../../http/index.ts';
import { shardOf } from '../../leases/index.ts';
import {
  type FreeTier,
  type OrganizationPolicy,
  type Plan,
  type Plans,
  type PlanUsage,
  readUsage,
} from '../../organizations/index.ts';
import type { People } from '../../people/index.ts';
import type { TemplateVersion } from '../../templates/index.ts';
import { findSettled } from '../queries.ts';
import type { AcceptedMessage } from './accept-queries.ts';
import { findReplay } from './idempotency-queries.ts';
import { type JudgeDeps, judgeSend, planError, Refusal } from './judge-send.ts';
import { type ResolvedReference, resolveReferences, withWamids } from './message-reference.ts';
import type { AcceptItem, AcceptResult, MessageWriter } from './message-writer.ts';
import { type OutcomeWaiters, providerCodeOf, toOutcome } from './outcome-waiters.ts';
import { PlanAllowance } from './plan-allowance.ts';
import { type MessagePrice, priceMessage } from './price-message.ts';
import type { SendRequest } from './send-request.ts';
import { timeToLiveMs } from './time-to-live.ts';

export interface AcceptDeps extends JudgeDeps {
  accounts: Accounts;
  plans: Plans;
  writer: MessageWriter;
  waiters: OutcomeWaiters;
  queueBounds: QueueBounds;
  freeTier: FreeTier;
  people: Pick<People, 'enroll'>;
}

export interface SendOptions {
  /** Settings of the caller's organization. */
  settings: OrganizationPolicy;
  idempotencyKey: string | undefined;
  sync: boolean;
  /** W3C trace context that the send belongs to. */
  traceparent: string | undefined;
}

/** The answer to a send: the message's state, and whether an earlier request created it (api-rules#sending). */
export interface SendAnswer {
  messageId: string;
  replayed: boolean;
  /** The upstream's id, if the caller waited and the message was sent in time. */
  wamid: string | undefined;
  /** The `message_status` of the upstream's answer, if it gave one and has reported no status since. */
  upstreamStatus: string | undefined;
}

/** Longest wait of a caller of `sync=true`, from acceptance on (api-rules#sending). */
const SYNC_WAIT_MS = 10_000;
const QUEUE_FULL_RETRY_SECONDS = 5;

/** A send that is being judged. */
interface Attempt {
  organizationId: string;
  number: SendingNumber;
  plan: Plan;
  idempotency: AcceptedMessage['idempotency'];
  sync: boolean;
}

/**
 * Accepts one message onto the send queue (api-rules#sending). Resolves once the message is durable; with `sync` once it was dispatched, or
 * after ten seconds.
 * Checks in the order of api-rules#order-of-checks: number, media in the body, the number's state, plan, template, window, opt-out, and
 * last the messages it refers to. A repeated
 * Idempotency-Key answers with the original message even if a new send would now be refused.
 *
 * Raises ACCOUNT_NOT_FOUND, VALIDATION_ERROR (for media), ACCOUNT_NOT_REGISTERED, PLAN_*, TEMPLATE_*, OUTSIDE_24H_WINDOW, RECIPIENT_OPTED_OUT,
 * FORBIDDEN, CONFLICT, QUEUE_FULL, IDEMPOTENCY_KEY_REUSED, SEND_FAILED (with `sync`), UNAVAILABLE.
 *
 * Cached facts are read synchronously, so that most sends wait only for their commit.
 */
export async function acceptMessage(
  deps: AcceptDeps,
  caller: Caller,
  phoneNumberId: string,
  request: SendRequest,
  options: SendOptions,
): Promise<SendAnswer> {
  const { organizationId } = caller;
  const { settings, sync, traceparent } = options;
  const facts = allNow(deps.accounts.getNumber(organizationId, phoneNumberId), deps.plans.get(organizationId));
  const [number, plan] = facts instanceof Promise ? await facts : facts;
  const idempotency = idempotencyOf(request, options.idempotencyKey);
  const attempt = { organizationId, number, plan, idempotency, sync };

  const { directSend, hasOptOuts } = settings;
  const judged = judgeSend(deps, number, { plan, directSend, hasOptOuts }, request);
  const version = judged instanceof Promise ? await judged.catch(asRefusal) : judged;
  if (version instanceof Refusal) return refuse(deps, attempt, version);
  const resolving = resolveOrRefuse(deps, caller, request);
  const resolved = resolving instanceof Promise ? await resolving : resolving;
  if (resolved instanceof Refusal) return refuse(deps, attempt, resolved);
  const category =
    version?.category.toLowerCase() ?? (directSend ? request.directSendCategory : undefined) ?? 'service';
  const { recipient, userId } = request;
  const pricing = priceMessage(deps, plan, number, { recipient, userId, category });
  const price = pricing instanceof Promise ? await pricing : pricing;
  const contact = userId === undefined ? request.name : await deps.people.enroll(number, userId);
  const decided = { version, category, price, contact, resolved, traceparent, ttlMsMax: settings.messageTtlMs };
  const message = describe(deps, caller, attempt, request, decided);
  const waitEndsMs = deps.clock.monotonicMs() + SYNC_WAIT_MS;
  const result = await store(deps, { message, plan });
  switch (result.kind) {
    case 'stored': {
      if (!sync) return answerOf(message.id, false, undefined);
      // If the message was settled in between, the waiters' next poll finds the outcome.
      const waitMs = waitEndsMs - deps.clock.monotonicMs();
      return answerOf(message.id, false, await deps.waiters.wait(organizationId, message.id, waitMs));
    }
    case 'full':
      return refuse(deps, attempt, new Refusal(queueFull(plan), { isAfterPlan: false }));
    case 'refused':
      throw planError(result.code, plan);
    case 'taken': {
      // Another transaction won the claim. Only a new statement sees its message.
      const answer = await answerAgain(deps, attempt);
      if (answer === undefined) throw unavailable('Try again.');
      return answer;
    }
  }
}

/**
 * Turns an AppError into a refusal, for example if the upstream cannot say whether a template exists. A send with a repeated key is then
 * still answered.
 */
function asRefusal(error: unknown): Refusal {
  if (error instanceof AppError) return new Refusal(error, { isAfterPlan: false });
  throw error;
}

function queueFull({ name, queueMax }: Plan): AppError {
  return new AppError('QUEUE_FULL', `The plan "${name}" allows ${queueMax} queued messages; the queue is full.`, {
    retryAfterSeconds: QUEUE_FULL_RETRY_SECONDS,
  });
}

/** Returns the wamids of the messages that a send refers to, at once if there are none; or the refusal. */
function resolveOrRefuse(
  deps: AcceptDeps,
  caller: Caller,
  { references }: SendRequest,
): Now<Refusal | ResolvedReference[]> {
  if (references.length === 0) return [];
  return resolveReferences(deps.lookups.for(caller.organizationId), caller, references).catch(asRefusal);
}

/** Refuses a send unless its key already has a message. */
async function refuse(deps: AcceptDeps, attempt: Attempt, refusal: Refusal): Promise<SendAnswer> {
  const answer = await answerAgain(deps, attempt);
  if (answer !== undefined) return answer;
  throw (refusal.isAfterPlan ? await usedUpPlan(deps, attempt) : undefined) ?? refusal.error;
}

/** Returns the answer of the message that already holds the send's key; undefined if there is none. */
async function answerAgain(deps: AcceptDeps, attempt: Attempt): Promise<SendAnswer | undefined> {
  const { organizationId, number, idempotency } = attempt;
  if (idempotency === undefined) return undefined;
  const db = deps.lookups.for(organizationId);
  const original = await findReplay(db, organizationId, number.numberId, idempotency.keyDigest);
  return original && (await replay(deps, attempt, original, idempotency.fingerprint));
}

/** Stores a message if the organization's queue has room. */
function store(deps: AcceptDeps, item: AcceptItem): Promise<AcceptResult | { kind: 'full' }> {
  const { queueMax } = item.plan;
  return queueMax === null ? deps.writer.submit(item) : storeWithin(queueMax, deps, item);
}

async function storeWithin(
  queueMax: number,
  { queueBounds, writer }: AcceptDeps,
  item: AcceptItem,
): Promise<AcceptResult | { kind: 'full' }> {
  const { organizationId } = item.message;
  if (!(await queueBounds.claim(organizationId, queueMax))) return { kind: 'full' };
  let stored = false;
  try {
    const result = await writer.submit(item);
    stored = result.kind === 'stored';
    return result;
  } finally {
    if (stored) queueBounds.stored(organizationId);
    else queueBounds.giveBack(organizationId);
  }
}

function idempotencyOf(request: SendRequest, key: string | undefined): AcceptedMessage['idempotency'] {
  if (key === undefined) return undefined;
  return { keyDigest: digestUuid(key), fingerprint: fingerprintJson(request.sentText) };
}

/** Returns the error of a plan that is used up. Read only for a send that is refused anyway; the writer checks all others. */
async function usedUpPlan(deps: AcceptDeps, { organizationId, plan }: Attempt): Promise<AppError | undefined> {
  if (!PlanAllowance.limits(plan)) return undefined;
  const used = await readUsage(deps.lookups.for(organizationId), [organizationId], deps.clock.now());
  const code = new PlanAllowance(used.get(organizationId) as PlanUsage).take(plan, 0);
  return code && planError(code, plan);
}

function describe(
  deps: AcceptDeps,
  caller: Caller,
  { number, idempotency }: Attempt,
  request: SendRequest,
  decided: {
    version: TemplateVersion | undefined;
    category: string;
    price: MessagePrice;
    contact: string;
    resolved: ResolvedReference[];
    traceparent: string | undefined;
    ttlMsMax: number;
  },
): AcceptedMessage {
  const { version, category, price, contact, resolved, traceparent, ttlMsMax } = decided;
  const ttlMs = request.timeToLiveMs ?? timeToLiveMs(version?.category, version?.ttlSeconds);
  const nowMs = deps.clock.now();
  return {
    id: newId(nowMs),
    organizationId: caller.organizationId,
    numberId: number.numberId,
    shard: shardOf(number.numberId),
    flowId: flowIdOf(caller.keyNumber, trafficClassOfCategory(category)),
    wabaId: number.wabaId,
    contact,
    recipient: request.recipient,
    userId: request.userId,
    type: request.type,
    templateName: request.template?.name,
    templateLanguage: version?.language,
    category,
    country: price.country,
    prices: price.prices,
    priceMicros: price.priceMicros,
    body: bodyToSend(request, version, resolved),
    callbackData: request.callbackData,
    apiKeyId: caller.apiKeyId,
    idempotency,
    expiresAtMs: nowMs + Math.min(ttlMs, ttlMsMax),
    traceparent,
    marketing: request.marketing || undefined,
  };
}

/**
 * Returns the client's text with the allowed changes (api-rules#bodies): a missing product, the language of a template that has only one,
 * and the wamids of messages that were named by the gateway's ids.
 */
function bodyToSend(
  request: SendRequest,
  version: TemplateVersion | undefined,
  resolved: readonly ResolvedReference[],
): string {
  const text = withWamids(request.text, resolved);
  if (version === undefined || request.template?.language !== undefined) return text;
  return insertMember(text, ['template'], 'language', JSON.stringify({ code: version.language }));
}

async function replay(
  deps: AcceptDeps,
  { organizationId, sync }: Attempt,
  original: { messageId: string; fingerprint: string },
  fingerprint: string,
): Promise<SendAnswer> {
  const { messageId } = original;
  if (original.fingerprint !== fingerprint) {
    throw new AppError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used before with another body.');
  }
  if (!sync) return answerOf(messageId, true, undefined);
  const waiting = deps.waiters.wait(organizationId, messageId, SYNC_WAIT_MS);
  const lookups = deps.lookups.for(organizationId);
  const [settled] = await findSettled(lookups, [{ organizationId, messageId }], deps.clock.now());
  if (settled !== undefined) deps.waiters.settle(messageId, toOutcome(settled));
  return answerOf(messageId, true, await waiting);
}

function answerOf(messageId: string, replayed: boolean, outcome: DispatchOutcome | undefined): SendAnswer {
  if (outcome?.kind !== 'failed') {
    return { messageId, replayed, wamid: outcome?.wamid, upstreamStatus: outcome?.upstreamStatus };
  }
  const { errorCode, errorMessage } = outcome;
  throw new AppError('SEND_FAILED', errorMessage, {
    isReplay: replayed,
    messageId,
    provider_error: outcome.provider ?? {
      code: providerCodeOf(errorCode),
      error_user_title: errorMessage,
      error_user_msg: errorMessage,
    },
  });
}
