import { type DisconnectDeps, disconnectWabasOf } from '../accounts/index.ts';
import { disableApiKeysOf, getOrganization } from '../organizations/index.ts';
import { disableEndpointsOf, type EndpointDeps } from '../outbound-webhooks/index.ts';

export type CloseDeps = DisconnectDeps & EndpointDeps;

/**
 * Closes an organization: its keys are refused, its WABAs disconnected, its endpoints disabled, in this order and each by itself. What is
 * kept of it stays. Once more closes what was left, or has been made since. Raises NOT_FOUND.
 */
export async function closeOrganization(deps: CloseDeps, organizationId: string): Promise<void> {
  const { id } = await getOrganization(deps, organizationId);
  await disableApiKeysOf(deps, id);
  await disconnectWabasOf(deps, id);
  await disableEndpointsOf(deps, id);
}
