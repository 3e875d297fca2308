import type { Static } from 'typebox';
import type { Plan, PlanChange } from './plans/plan-rules.ts';
import type { PlanBody } from './plans/plan-schemas.ts';
import type { Organization, OrganizationChange } from './queries.ts';
import type { organizationPatchBody } from './schemas.ts';
import type { ChargeGroup, Dimension } from './usage/charges.ts';
import type { GroupedUsage } from './usage/get-usage.ts';
import type { DayDimension, UsageDay } from './usage/get-usage-days.ts';

const MICROS = 1_000_000;

/** An organization as the admin API shows it. */
export function renderOrganization(organization: Organization) {
  return {
    id: organization.id,
    name: organization.name,
    test: organization.test,
    weight: organization.weight,
    unknown_outcome_policy: organization.unknownOutcomePolicy,
    message_ttl_seconds: organization.messageTtlSeconds,
    direct_send: organization.directSend,
    phone_numbers: organization.phoneNumbers,
    to_without_plus: organization.toWithoutPlus,
    contacts_as_text: organization.contactsAsText,
    cloud_api_credentials: organization.cloudApiCredentials,
    opt_out_words: organization.optOutWords,
    marketing_messages: organization.marketingMessages,
    retention: organization.retention,
    keep_bodies: organization.keepBodies,
    created_at: organization.createdAt.toISOString(),
  };
}

/** Reads the settings of a request: absent ones stay as they are, or take the default of a new organization. */
export function readOrganizationChange(body: Static<typeof organizationPatchBody>): OrganizationChange {
  return {
    name: body.name,
    weight: body.weight,
    unknownOutcomePolicy: body.unknown_outcome_policy,
    messageTtlSeconds: body.message_ttl_seconds,
    directSend: body.direct_send,
    phoneNumbers: body.phone_numbers,
    toWithoutPlus: body.to_without_plus,
    contactsAsText: body.contacts_as_text,
    cloudApiCredentials: body.cloud_api_credentials,
    optOutWords: body.opt_out_words,
    marketingMessages: body.marketing_messages,
    retention: body.retention,
    keepBodies: body.keep_bodies,
  };
}

/** A plan as the admin API shows it, money in whole units. */
export function renderPlan(plan: Plan) {
  const prices = Object.entries(plan.priceMicros).map(([category, micros]) => [category, micros / MICROS]);
  return {
    name: plan.name,
    active: plan.active,
    monthly_message_limit: plan.monthlyMessageLimit,
    message_types: plan.messageTypes && [...plan.messageTypes],
    template_categories: plan.templateCategories && [...plan.templateCategories],
    monthly_budget: plan.monthlyBudgetMicros === null ? null : plan.monthlyBudgetMicros / MICROS,
    requests_per_second: plan.requestsPerSecond,
    key_requests_per_second: plan.keyRequestsPerSecond,
    queue_max: plan.queueMax,
    free_service_messages: plan.freeServiceMessages,
    prices: prices.length === 0 ? null : Object.fromEntries(prices),
  };
}

/** Reads the change of a plan: absent fields stay, `null` is unlimited. */
export function readPlanChange(body: PlanBody): PlanChange {
  const { monthly_budget, prices, template_categories } = body;
  return {
    name: body.name,
    active: body.active,
    monthlyMessageLimit: body.monthly_message_limit,
    messageTypes: body.message_types && new Set(body.message_types),
    templateCategories: template_categories && new Set(template_categories.map((category) => category.toUpperCase())),
    monthlyBudgetMicros: monthly_budget && toMicros(monthly_budget),
    requestsPerSecond: body.requests_per_second,
    keyRequestsPerSecond: body.key_requests_per_second,
    queueMax: body.queue_max,
    freeServiceMessages: body.free_service_messages,
    priceMicros: prices === undefined ? undefined : toMicrosByCategory(prices ?? {}),
  };
}

/** A month's usage as the admin API shows it, with its charges if they are grouped by any dimension. */
export function renderUsage(usage: GroupedUsage, by: readonly Dimension[]) {
  return {
    month: usage.month,
    accepted: usage.accepted,
    sent: usage.sent,
    delivered: usage.delivered,
    failed: usage.failed,
    by_category: usage.byCategory,
    by_pricing: usage.byPricing,
    spent: usage.spentMicros / MICROS,
    ...(by.length > 0 && { groups: usage.groups.map(renderCharges) }),
  };
}

/** The days of a month as the admin API shows them, with their charges if they are grouped. */
export function renderUsageDays({ month, days }: { month: string; days: readonly UsageDay[] }, by?: DayDimension) {
  return {
    month,
    days: days.map(({ spentMicros, groups, ...day }) => ({
      ...day,
      spent: spentMicros / MICROS,
      spent_micros: spentMicros,
      ...(by !== undefined && {
        groups: groups.map(({ value, ...sums }) => renderCharges({ values: { [by]: value }, ...sums })),
      }),
    })),
  };
}

function renderCharges({ values, messages, micros }: ChargeGroup) {
  return { ...values, messages, charged: micros / MICROS, charged_micros: micros };
}

function toMicros(money: number): number {
  return Math.round(money * MICROS);
}

function toMicrosByCategory(prices: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(prices).map(([category, price]) => [category, toMicros(price)]));
}
