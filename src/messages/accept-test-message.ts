import type { OrganizationSettings } from '../organizations/index.ts';
import { type AcceptDeps, acceptMessage } from './send/accept-message.ts';
import { readSendRequest } from './send/send-request.ts';

/**
 * Accepts a message that the gateway sends for an organization by itself, by the same rules as one of a key. A repeat with the same key finds
 * the first message. Raises what `acceptMessage` raises.
 */
export async function acceptTestMessage(
  deps: AcceptDeps & { settings: OrganizationSettings },
  organizationId: string,
  phoneNumberId: string,
  body: string,
  idempotencyKey: string,
): Promise<{ messageId: string }> {
  const settings = await deps.settings.get(organizationId);
  const request = readSendRequest(Buffer.from(body), settings);
  if (request.kind !== 'send') throw new Error('a test message must be a send');
  const caller = { organizationId, apiKeyId: null, keyNumber: 0, limits: null };
  const options = { settings, idempotencyKey, sync: false, traceparent: undefined };
  const { messageId } = await acceptMessage(deps, caller, phoneNumberId, request, options);
  return { messageId };
}
