import { isTestNumberId, isTestWabaId } from '../test-accounts/index.ts';
import { isSigned } from './payload/signature.ts';
import type { PayloadReceiver } from './receive-payload.ts';

/**
 * Takes in a webhook of the built-in simulator that serves test organizations, and returns the HTTP status of the answer. Refuses a payload
 * that names any other account or number than theirs, so that the simulator cannot report about messages of the platform. Rejects if the
 * payload cannot be stored.
 */
export async function takeTestWebhook(
  { receiver, appSecret }: { receiver: Pick<PayloadReceiver, 'submit'>; appSecret: string },
  body: Buffer,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  if (!isSigned(body, headers['x-hub-signature-256'], [appSecret]) || !concernsTestsOnly(body)) return 401;
  await receiver.submit(body);
  return 200;
}

function concernsTestsOnly(body: Buffer): boolean {
  const { entry } = JSON.parse(body.toString('utf8')) as { entry: { id: string; changes: { value: object }[] }[] };
  return entry.every(({ id, changes }) => isTestWabaId(id) && changes.every(({ value }) => namesTestNumberOnly(value)));
}

function namesTestNumberOnly(value: { metadata?: { phone_number_id?: unknown } }): boolean {
  const id = value.metadata?.phone_number_id;
  return id === undefined || isTestNumberId(String(id));
}
