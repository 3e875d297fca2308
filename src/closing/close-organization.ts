import { type DisconnectDeps, disconnectWabasOf } from '../accounts/index.ts';
import { endOnboardingsOf } from '../onboarding/index.ts';
import { disableApiKeysOf, getOrganization } from '../organizations/index.ts';
import { disableEndpointsOf, type EndpointDeps } from '../outbound-webhooks/index.ts';

export type CloseDeps = DisconnectDeps & EndpointDeps;

/**
 * Closes an organization: refuses its keys, ends its onboardings, disconnects its WABAs and disables its endpoints, in this order and in separate transactions.
 * Its stored data stays. A repeated call closes all that was left, or has been created since. Raises NOT_FOUND.
 */
export async function closeOrganization(deps: CloseDeps, organizationId: string): Promise<void> {
  const { id } = await getOrganization(deps, organizationId);
  await disableApiKeysOf(deps, id);
  // An onboarding that goes on would connect its account again.
  await endOnboardingsOf(deps, id);
  await disconnectWabasOf(deps, id);
  await disableEndpointsOf(deps, id);
}
