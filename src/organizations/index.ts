export { changeOrganization } from './change-organization.ts';
export { createOrganization } from './create-organization.ts';
export { getOrganization } from './get-organization.ts';
export { disableApiKey, disableApiKeysOf } from './keys/change-api-key.ts';
export { createApiKey } from './keys/create-api-key.ts';
export { createKeyring } from './keys/keyring.ts';
export {
  createOrganizationSettings,
  hasOrganization,
  type OrganizationPolicy,
  type OrganizationSettings,
} from './organization-settings.ts';
export { checkPlan, type Plan, UNLIMITED_PLAN } from './plans/plan-rules.ts';
export { createPlans, type Plans } from './plans/plans.ts';
export { putPlan } from './plans/put-plan.ts';
export { DEFAULT_PRICES, priceListOf, priceMicrosOf } from './prices/price-list.ts';
export { ANY } from './prices/rate.ts';
export {
  MARKETING_MESSAGES,
  type MarketingMessages,
  noteOptOuts,
  type Organization,
  type Retention,
} from './queries.ts';
export { organizationRoutes } from './routes.ts';
export { CHARGED, CHARGED_MICROS, chargeDimensions } from './usage/charges.ts';
export { createFreeTier, type FreeTier } from './usage/free-tier.ts';
export { sweepUsageDays } from './usage/usage-day-queries.ts';
export { metricRows } from './usage/usage-metrics.ts';
export {
  addUsage,
  billingMonth,
  billingMonthSql,
  closeUsageSlots,
  countUsage,
  listTraffic,
  lockUsage,
  type MinuteOfTraffic,
  type PlanUsage,
  readUsage,
  type UsageAmount,
} from './usage/usage-queries.ts';
