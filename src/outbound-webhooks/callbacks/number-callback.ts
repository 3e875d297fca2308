import type { Accounts } from '../../accounts/index.ts';
import { invalid } from '../../core/errors.ts';
import type { Queryable } from '../../database/database.ts';
import { type Caller, checkScope } from '../../http/index.ts';
import { listCallbacks } from './callback-queries.ts';
import { type ParameterSource, readConfiguration, readParameters, readWord } from './read-parameters.ts';
import { type CallbackDeps, endCallback, registerCallback } from './register-callback.ts';

const MEMBER = 'webhook_configuration';

export interface NumberCallbackDeps extends CallbackDeps {
  accounts: Pick<Accounts, 'findNumber'>;
}

/** The member `webhook_configuration` of a number, as the platform shows it. */
export interface WebhookConfiguration {
  application?: string;
  whatsapp_business_account?: string;
  phone_number?: string;
}

/** Returns the addresses that the organization has registered for a number, its business account and an app. */
export async function readWebhookConfiguration(
  db: Queryable,
  { organizationId, wabaId, phoneNumberId }: { organizationId: string; wabaId: string; phoneNumberId: string },
): Promise<WebhookConfiguration> {
  const callbacks = await listCallbacks(db, organizationId, ['app', 'account', 'number']);
  const urlOf = (kind: string, objectId?: string) =>
    callbacks.find((one) => one.kind === kind && (objectId === undefined || one.objectId === objectId))?.url ??
    undefined;
  const [application, ofAccount, ofNumber] = [urlOf('app'), urlOf('account', wabaId), urlOf('number', phoneNumberId)];
  return {
    ...(application !== undefined && { application }),
    ...(ofAccount !== undefined && { whatsapp_business_account: ofAccount }),
    ...(ofNumber !== undefined && { phone_number: ofNumber }),
  };
}

/** A request of a client to change a number. */
export interface NumberChange extends ParameterSource {
  caller: Caller;
  /** Undefined for a caller without a key. */
  apiKey: string | undefined;
}

/**
 * Registers or ends the address of a number if a request to change it has `webhook_configuration`. Returns false for any other request. An
 * empty address ends it. Raises VALIDATION_ERROR for other members beside it, FORBIDDEN.
 */
export async function changeNumberCallback(
  deps: NumberCallbackDeps,
  { caller, apiKey, ...source }: NumberChange,
  phoneNumberId: string,
): Promise<boolean> {
  const { organizationId } = caller;
  const isNamed = source.body.includes(MEMBER) || Object.hasOwn(source.query, MEMBER);
  if (!isNamed || (await deps.accounts.findNumber(organizationId, phoneNumberId)) === undefined) return false;
  const { access_token: _, ...parameters } = readParameters(source);
  const configuration = readConfiguration(parameters);
  if (configuration === undefined) return false;
  checkScope(caller, 'webhooks');
  if (Object.keys(parameters).length > 1) throw invalid(`"${MEMBER}" must come alone: the gateway serves it itself.`);
  const place = { kind: 'number', objectId: phoneNumberId } as const;
  const url = readWord(configuration, 'override_callback_uri');
  if (url === undefined) await endCallback(deps, organizationId, place);
  else {
    const verifyToken = readWord(configuration, 'verify_token') ?? '';
    await registerCallback(deps, organizationId, place, { url, verifyToken, fields: null, apiKey });
  }
  return true;
}
