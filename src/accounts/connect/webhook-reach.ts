import type { Logger } from 'pino';
import type { Waba } from '../waba.ts';
import type { WebhookOverride } from './webhook-override.ts';

/** Reach of a WABA's webhooks: do they arrive here, according to the last reading. */
export interface WebhookReach {
  /** True if the app is subscribed to them; null if that was never read. */
  isSubscribed: boolean | null;
  /** The numbers whose webhooks go elsewhere. */
  overrides: { phoneNumberId: string; override: WebhookOverride }[];
}

/** Logs everything that keeps a WABA's webhooks from the gateway: obstacles at every reading, their removal once. */
export function logReach(
  log: Pick<Logger, 'info' | 'warn'>,
  { organizationId, wabaId }: Pick<Waba, 'organizationId' | 'wabaId'>,
  before: WebhookReach,
  after: WebhookReach,
): void {
  const waba = { organizationId, wabaId };
  if (after.isSubscribed === false) {
    log.warn(waba, 'the app is not subscribed to the webhooks of a business account; connect it again');
  } else if (before.isSubscribed === false && after.isSubscribed) {
    log.info(waba, 'the app is subscribed to the webhooks of a business account again');
  }
  for (const { phoneNumberId, override } of after.overrides) {
    const facts = { ...waba, phoneNumberId, override: override.level, url: override.url };
    log.warn(facts, 'an override sends the webhooks of a number elsewhere; its statuses and messages do not arrive');
  }
  const still = new Set(after.overrides.map(({ phoneNumberId }) => phoneNumberId));
  for (const { phoneNumberId } of before.overrides) {
    if (!still.has(phoneNumberId))
      log.info({ ...waba, phoneNumberId }, 'an override no longer keeps the webhooks of a number away');
  }
}
