export { changeOrganization } from './change-organization.ts';
export { createApiKey } from './create-api-key.ts';
export { createOrganization } from './create-organization.ts';
export { disableApiKey, disableApiKeysOf } from './disable-api-key.ts';
export { getOrganization } from './get-organization.ts';
export { createKeyring } from './keyring.ts';
export { createOrganizationSettings, type OrganizationSettings } from './organization-settings.ts';
export {
  checkPlan,
  type Plan,
  priceMicrosOf,
  UNLIMITED_PLAN,
} from './plan-rules.ts';
export { createPlans, type Plans } from './plans.ts';
export { putPlan } from './put-plan.ts';
export { organizationRoutes } from './routes.ts';
export {
  addUsage,
  billingMonth,
  closeUsageSlots,
  countUsage,
  lockUsage,
  type PlanUsage,
  readUsage,
  type UsageAmount,
} from './usage-queries.ts';
