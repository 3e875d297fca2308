import { type Accounts, type SendingNumber, shardOf } from '../accounts/index.ts';
import type { QueueBounds } from '../admission/index.ts';
import type { Windows } from '../conversations/index.ts';
import type { Clock } from '../core/clock.ts';
import { AppError, unavailable } from '../core/errors.ts';
import { digestUuid, newId } from '../core/ids.ts';
import { fingerprintJson, insertMember } from '../core/json/index.ts';
import type { Database } from '../database/database.ts';
import { type DispatchOutcome, flowIdOf, trafficClassOfCategory } from '../dispatch/index.ts';
import type { Caller } from '../http/index.ts';
import { findMediaRefusal } from '../media/index.ts';
import {
  checkPlan,
  type OrganizationSettings,
  type Plan,
  type Plans,
  type PlanUsage,
  priceMicrosOf,
  readUsage,
} from '../organizations/index.ts';
import { chooseTemplate, type Templates, type TemplateVersion } from '../templates/index.ts';
import { findReplay } from './idempotency-queries.ts';
import type { AcceptItem, AcceptResult, MessageWriter } from './message-writer.ts';
import { type OutcomeWaiters, providerCodeOf, toOutcome } from './outcome-waiters.ts';
import { PlanAllowance, type PlanRefusal } from './plan-allowance.ts';
import { type AcceptedMessage, findSettled } from './queries.ts';
import type { SendRequest } from './send-request.ts';
import { templateRefusal } from './template-refusal.ts';

export interface AcceptDeps {
  db: Database;
  clock: Clock;
  accounts: Accounts;
  plans: Plans;
  settings: OrganizationSettings;
  templates: Templates;
  windows: Windows;
  writer: MessageWriter;
  waiters: OutcomeWaiters;
  queueBounds: QueueBounds;
}

export interface SendOptions {
  idempotencyKey: string | undefined;
  sync: boolean;
  /** W3C trace context that the send belongs to. */
  traceparent: string | undefined;
}

/** The answer to a send: where the message stands now, and whether an earlier request made it (spec 2.5). */
export interface SendAnswer {
  messageId: string;
  replayed: boolean;
  /** The upstream's id, when the caller waited and the message was sent in time. */
  wamid: string | undefined;
}

/** What a caller of `sync=true` waits at most, from acceptance on (spec 8). */
const SYNC_WAIT_MS = 10_000;
const QUEUE_FULL_RETRY_SECONDS = 5;

/**
 * Accepts one message onto the send queue (spec 4.2). Resolves only once it is durable; with `sync` once it was dispatched or
 * ten seconds have passed. Checks in the order of the decisions page: number, media the body names, the number's state, plan,
 * template, window. A repeated Idempotency-Key answers with the original message even where the send itself would be refused
 * by now.
 *
 * Raises ACCOUNT_NOT_FOUND, VALIDATION_ERROR (for media), ACCOUNT_NOT_REGISTERED, PLAN_*, TEMPLATE_*, OUTSIDE_24H_WINDOW,
 * QUEUE_FULL, IDEMPOTENCY_KEY_REUSED, SEND_FAILED (with `sync`), UNAVAILABLE.
 */
export async function acceptMessage(
  deps: AcceptDeps,
  caller: Caller,
  phoneNumberId: string,
  request: SendRequest,
  options: SendOptions,
): Promise<SendAnswer> {
  const { organizationId } = caller;
  const number = await deps.accounts.getNumber(organizationId, phoneNumberId);
  const idempotency = idempotencyOf(request, options.idempotencyKey);
  const plan = await deps.plans.get(organizationId);

  /** The answer for the message that has the request's key already; undefined when there is none. */
  const answerAgain = async () => {
    const original = idempotency && (await findReplay(deps.db, organizationId, number.numberId, idempotency.keyDigest));
    return original && replay(deps, organizationId, original, idempotency.fingerprint, options.sync);
  };
  const refuse = async (refusal: AppError) => {
    const answer = await answerAgain();
    if (answer !== undefined) return answer;
    throw (await exhaustedPlan(deps, organizationId, plan, refusal)) ?? refusal;
  };

  const version = await judge(deps, number, plan, request).catch(asRefusal);
  if (version instanceof AppError) return refuse(version);
  const { traceparent } = options;
  const message = await describe(deps, caller, number, plan, request, { version, idempotency, traceparent });
  const waitEndsMs = deps.clock.monotonicMs() + SYNC_WAIT_MS;
  const result = await store(deps, { message, plan });
  switch (result.kind) {
    case 'stored': {
      if (!options.sync) return answerOf(message.id, false, undefined);
      // An outcome that came in between is found by the waiters' next look.
      const waitMs = waitEndsMs - deps.clock.monotonicMs();
      return answerOf(message.id, false, await deps.waiters.wait(organizationId, message.id, waitMs));
    }
    case 'full':
      return refuse(
        new AppError('QUEUE_FULL', `The plan "${plan.name}" allows ${plan.queueMax} messages to wait; that many do.`, {
          retryAfterSeconds: QUEUE_FULL_RETRY_SECONDS,
        }),
      );
    case 'refused':
      throw planError(result.code, plan);
    case 'taken': {
      // The claim was lost to another transaction; its message is visible to a new statement only.
      const answer = await answerAgain();
      if (answer === undefined) throw unavailable('Try again.');
      return answer;
    }
  }
}

/** Stores a message if the organization's queue has room for it. */
async function store(deps: AcceptDeps, item: AcceptItem): Promise<AcceptResult | { kind: 'full' }> {
  const { queueBounds, writer } = deps;
  const { queueMax } = item.plan;
  const { organizationId } = item.message;
  if (queueMax === null) return writer.submit(item);
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

/** The first reason to refuse, in the order of the decisions page, or the version that will be sent of a template. */
async function judge(
  deps: AcceptDeps,
  number: SendingNumber,
  plan: Plan,
  request: SendRequest,
): Promise<AppError | TemplateVersion | undefined> {
  // What the body names is judged against the number, so this 400 comes after the number's 404 and before all else.
  const { mediaIds } = request;
  const mediaRefusal = mediaIds.length === 0 ? undefined : await findMediaRefusal(deps, number, mediaIds);
  if (mediaRefusal !== undefined) return mediaRefusal;
  if (!number.registered) {
    return new AppError('ACCOUNT_NOT_REGISTERED', 'The number has not completed phone registration.');
  }
  const typeRefusal = checkPlan(plan, { type: request.type, category: undefined });
  if (typeRefusal !== undefined) return planError(typeRefusal, plan);

  if (request.template === undefined) {
    const key = { organizationId: number.organizationId, numberId: number.numberId, contact: request.contact };
    if (await deps.windows.isOpen(key)) return undefined;
    return new AppError(
      'OUTSIDE_24H_WINDOW',
      'The recipient has not written within the last 24 hours; only a template can be sent.',
    );
  }

  const { name, language } = request.template;
  const choice = chooseTemplate(
    await deps.templates.findVersions(number.organizationId, number.wabaId, name, language),
    language,
  );
  const category = 'version' in choice ? choice.version.category : undefined;
  const refusal = checkPlan(plan, { type: request.type, category });
  if (refusal !== undefined) return planError(refusal, plan);
  return choice.kind === 'chosen' ? choice.version : templateRefusal(request.template, choice);
}

/** What cannot be judged now, as a template the upstream does not tell of, is refused as well; a repeated key is not. */
function asRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

/** A used-up plan is told before anything about template or window. Only asked when something is refused anyway. */
async function exhaustedPlan(
  deps: AcceptDeps,
  organizationId: string,
  plan: Plan,
  refusal: AppError,
): Promise<AppError | undefined> {
  if (!PlanAllowance.limits(plan) || !/^TEMPLATE|^OUTSIDE/.test(refusal.code)) return undefined;
  const used = await readUsage(deps.db, [organizationId], deps.clock.now());
  const code = new PlanAllowance(plan, used.get(organizationId) as PlanUsage).take(0);
  return code && planError(code, plan);
}

async function describe(
  deps: AcceptDeps,
  caller: Caller,
  number: SendingNumber,
  plan: Plan,
  request: SendRequest,
  decided: Pick<AcceptedMessage, 'idempotency' | 'traceparent'> & { version: TemplateVersion | undefined },
): Promise<AcceptedMessage> {
  const { version, idempotency, traceparent } = decided;
  const category = version?.category.toLowerCase() ?? 'service';
  const { messageTtlMs } = await deps.settings.get(caller.organizationId);
  const nowMs = deps.clock.now();
  return {
    id: newId(nowMs),
    organizationId: caller.organizationId,
    numberId: number.numberId,
    shard: shardOf(number.numberId),
    flowId: flowIdOf(caller.keyNumber, trafficClassOfCategory(category)),
    contact: request.contact,
    recipient: request.recipient,
    type: request.type,
    templateName: request.template?.name,
    templateLanguage: version?.language,
    category,
    priceMicros: priceMicrosOf(plan, category),
    body: bodyToSend(request, version),
    callbackData: request.callbackData,
    apiKeyId: caller.apiKeyId,
    idempotency,
    expiresAtMs: nowMs + messageTtlMs,
    traceparent,
  };
}

/** The client's text with at most two insertions: a missing product, and the language of a template that has just one. */
function bodyToSend(request: SendRequest, version: TemplateVersion | undefined): string {
  const { text } = request;
  if (version === undefined || request.template?.language !== undefined) return text;
  return insertMember(text, ['template'], 'language', JSON.stringify({ code: version.language }));
}

async function replay(
  deps: AcceptDeps,
  organizationId: string,
  original: { messageId: string; fingerprint: string },
  fingerprint: string,
  sync: boolean,
): Promise<SendAnswer> {
  if (original.fingerprint !== fingerprint) {
    throw new AppError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used before with another body.');
  }
  if (!sync) return answerOf(original.messageId, true, undefined);
  const waiting = deps.waiters.wait(organizationId, original.messageId, SYNC_WAIT_MS);
  const [settled] = await findSettled(deps.db, [{ organizationId, messageId: original.messageId }], deps.clock.now());
  if (settled !== undefined) deps.waiters.settle(original.messageId, toOutcome(settled));
  return answerOf(original.messageId, true, await waiting);
}

function answerOf(messageId: string, replayed: boolean, outcome: DispatchOutcome | undefined): SendAnswer {
  if (outcome?.kind !== 'failed') return { messageId, replayed, wamid: outcome?.wamid };
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

function planError(code: PlanRefusal | 'PLAN_INACTIVE' | 'PLAN_TYPE_NOT_INCLUDED', plan: Plan): AppError {
  switch (code) {
    case 'PLAN_INACTIVE':
      return new AppError(code, 'The organization has no active plan.');
    case 'PLAN_TYPE_NOT_INCLUDED':
      return new AppError(code, `The plan "${plan.name}" does not include this kind of message.`);
    case 'PLAN_MESSAGE_LIMIT_REACHED':
      return new AppError(
        code,
        `The plan "${plan.name}" allows ${plan.monthlyMessageLimit} messages a month; they are used up.`,
      );
    case 'PLAN_BUDGET_EXCEEDED':
      return new AppError(
        code,
        `This message does not fit into what is left of the monthly budget of the plan "${plan.name}".`,
      );
  }
}
