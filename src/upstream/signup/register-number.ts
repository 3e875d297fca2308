import { callGraph, readSuccess } from '../graph/call-graph.ts';
import type { CallResult } from '../graph/call-result.ts';
import { type GraphClient, nodePath } from '../graph/graph-client.ts';
import { ownField, textField } from '../graph/json-fields.ts';

/** The facts about a number that decide if and how it can be registered; null for missing fields. */
export interface NumberState {
  displayPhoneNumber: string | null;
  /** `VERIFIED`, `NOT_VERIFIED` or `EXPIRED`. */
  verification: string | null;
  /** `CONNECTED` when it can send. */
  status: string | null;
  /** `CLOUD_API` if it is registered; `NOT_APPLICABLE` if it is not. */
  platformType: string | null;
  isOnBizApp: boolean;
}

const TIMEOUT_MS = 15_000;
const FIELDS = 'display_phone_number,code_verification_status,status,platform_type,is_on_biz_app';

/** Reads the state of a number. */
export function readNumberState(
  client: GraphClient,
  phoneNumberId: string,
  token: string,
): Promise<CallResult<NumberState>> {
  return callGraph(client, {
    name: 'readNumberState',
    method: 'GET',
    objectId: phoneNumberId,
    path: nodePath(phoneNumberId),
    query: { fields: FIELDS },
    token,
    timeoutMs: TIMEOUT_MS,
    read: (answer) => ({
      displayPhoneNumber: textField(answer, 'display_phone_number'),
      verification: textField(answer, 'code_verification_status'),
      status: textField(answer, 'status'),
      platformType: textField(answer, 'platform_type'),
      isOnBizApp: ownField(answer, 'is_on_biz_app') === true,
    }),
  });
}

/** Registers a number with its PIN of six digits, or sets the PIN if it has none. The platform allows ten calls in 72 hours. */
export function registerNumber(
  client: GraphClient,
  phoneNumberId: string,
  token: string,
  pin: string,
): Promise<CallResult<true>> {
  return postToNumber(client, 'registerNumber', 'register', phoneNumberId, token, {
    messaging_product: 'whatsapp',
    pin,
  });
}

/** Has the platform send a verification code to the number. */
export function requestNumberCode(
  client: GraphClient,
  phoneNumberId: string,
  token: string,
  method: 'SMS' | 'VOICE',
): Promise<CallResult<true>> {
  return postToNumber(client, 'requestNumberCode', 'request_code', phoneNumberId, token, {
    code_method: method,
    language: 'en_US',
  });
}

/** Verifies a number with the code that it received. */
export function verifyNumber(
  client: GraphClient,
  phoneNumberId: string,
  token: string,
  code: string,
): Promise<CallResult<true>> {
  return postToNumber(client, 'verifyNumber', 'verify_code', phoneNumberId, token, { code });
}

function postToNumber(
  client: GraphClient,
  name: string,
  edge: string,
  phoneNumberId: string,
  token: string,
  body: Record<string, string>,
): Promise<CallResult<true>> {
  return callGraph(client, {
    name,
    method: 'POST',
    objectId: phoneNumberId,
    path: nodePath(phoneNumberId, edge),
    token,
    headers: ['content-type', 'application/json'],
    timeoutMs: TIMEOUT_MS,
    body: JSON.stringify(body),
    read: readSuccess,
  });
}
