import type { SendingNumber } from '../../accounts/index.ts';
import type { Windows } from '../../conversations/index.ts';
import { AppError, invalid } from '../../core/errors.ts';
import { mapNow, type Now } from '../../core/now.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { BoundDatabase } from '../../database/connection/bound-database.ts';
import { isMarketing } from '../../dispatch/index.ts';
import { findMediaRefusal } from '../../media/index.ts';
import type { OptOuts } from '../../opt-outs/index.ts';
import { checkPlan, type Plan } from '../../organizations/index.ts';
import { chooseTemplate, type Templates, type TemplateVersion } from '../../templates/index.ts';
import type { PlanRefusal } from './plan-allowance.ts';
import type { SendRequest } from './send-request.ts';
import { templateRefusal } from './template-refusal.ts';

export interface JudgeDeps {
  /** For the queries of one send. */
  lookups: Pick<BoundDatabase, 'for'>;
  clock: Clock;
  templates: Templates;
  windows: Windows;
  optOuts: OptOuts;
}

/** The first reason to refuse a send. */
export class Refusal {
  readonly error: AppError;
  /** True if the check stands behind the plan in api-rules#order-of-checks, so that a used-up plan is answered instead. */
  readonly isAfterPlan: boolean;

  constructor(error: AppError, order: { isAfterPlan: boolean }) {
    this.error = error;
    this.isAfterPlan = order.isAfterPlan;
  }
}

const UP_TO_PLAN = { isAfterPlan: false };
const AFTER_PLAN = { isAfterPlan: true };

/** Rules of the organization that a send is judged by. */
interface SendRules {
  plan: Plan;
  /** True if the organization's Direct Sends need no open window. */
  directSend: boolean;
  /** True if any person has opted out of marketing from a number of the organization. */
  hasOptOuts: boolean;
}

/**
 * Returns the first reason to refuse a send, in the order of api-rules#order-of-checks, or the template version to send. Returns
 * synchronously if all facts are cached. Rejects with an AppError if a fact is unavailable now. The plan's usage is not judged here: it
 * is counted as messages are stored.
 */
export function judgeSend(
  deps: JudgeDeps,
  number: SendingNumber,
  rules: SendRules,
  request: SendRequest,
): Now<Refusal | TemplateVersion | undefined> {
  const { mediaIds } = request;
  if (mediaIds.length === 0) return judgeContents(deps, number, rules, request);
  // Media ids belong to a number, so this 400 comes after the number's 404 and before all other checks.
  const { clock } = deps;
  const refusal = findMediaRefusal({ clock, db: deps.lookups.for(number.organizationId) }, number, mediaIds);
  return refusal.then((error) =>
    error === undefined ? judgeContents(deps, number, rules, request) : new Refusal(error, UP_TO_PLAN),
  );
}

function judgeContents(
  deps: JudgeDeps,
  number: SendingNumber,
  rules: SendRules,
  request: SendRequest,
): Now<Refusal | TemplateVersion | undefined> {
  if (!number.registered) {
    const error = new AppError('ACCOUNT_NOT_REGISTERED', 'The number has not completed phone registration.');
    return new Refusal(error, UP_TO_PLAN);
  }
  const { plan, directSend } = rules;
  const { type, name: person, template, directSendCategory } = request;
  const typeRefusal = checkPlan(plan, { type, category: directSend ? directSendCategory : undefined });
  if (typeRefusal !== undefined) return new Refusal(planError(typeRefusal, plan), UP_TO_PLAN);
  const { organizationId, numberId, wabaId } = number;
  if (template === undefined) {
    if (directSend && directSendCategory !== undefined) {
      return judgeOptOut(deps, number, rules, { person, category: directSendCategory, version: undefined });
    }
    return mapNow(deps.windows.isOpen({ organizationId, numberId, wabaId, name: person }), (isOpen) =>
      isOpen ? undefined : closedWindow(directSendCategory),
    );
  }
  const { name, language } = template;
  return mapNow(deps.templates.findVersions(organizationId, wabaId, name, language), (versions) => {
    const choice = chooseTemplate(versions, language);
    const category = 'version' in choice ? choice.version.category : undefined;
    const refusal = checkPlan(plan, { type, category });
    if (refusal !== undefined) return new Refusal(planError(refusal, plan), UP_TO_PLAN);
    if (choice.kind !== 'chosen') return new Refusal(templateRefusal(template, choice), AFTER_PLAN);
    const { version } = choice;
    if (request.marketing && category !== 'MARKETING') return notMarketing(name, category);
    return judgeOptOut(deps, number, rules, { person, category: version.category.toLowerCase(), version });
  });
}

/** Refuses marketing to a person who has opted out. Otherwise returns the version to send. */
function judgeOptOut(
  { optOuts }: JudgeDeps,
  { organizationId, phoneNumberId, wabaId }: SendingNumber,
  { hasOptOuts }: SendRules,
  send: { person: string; category: string; version: TemplateVersion | undefined },
): Now<Refusal | TemplateVersion | undefined> {
  if (!hasOptOuts || !isMarketing(send.category)) return send.version;
  const name = { organizationId, phoneNumberId, wabaId, name: send.person };
  return optOuts.isOptedOut(name).then((isOptedOut) => (isOptedOut ? optedOut() : send.version));
}

function optedOut(): Refusal {
  const error = new AppError('RECIPIENT_OPTED_OUT', 'The recipient has opted out of marketing from this number.');
  return new Refusal(error, AFTER_PLAN);
}

function notMarketing(name: string, category: string | undefined): Refusal {
  const message = `The template "${name}" has the category ${category}; /marketing_messages takes MARKETING only. Send it to /messages.`;
  return new Refusal(invalid(message), AFTER_PLAN);
}

function closedWindow(directSendCategory: string | undefined): Refusal {
  const reason = 'The recipient has neither written nor called within the last 24 hours; only a template can be sent.';
  const remedy = ' A body with "category" is accepted once the setting "direct_send" of the organization is on.';
  const message = directSendCategory === undefined ? reason : reason + remedy;
  return new Refusal(new AppError('OUTSIDE_24H_WINDOW', message), AFTER_PLAN);
}

/** Returns the error of a plan that does not allow a send. */
export function planError(code: PlanRefusal | 'PLAN_INACTIVE' | 'PLAN_TYPE_NOT_INCLUDED', plan: Plan): AppError {
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
