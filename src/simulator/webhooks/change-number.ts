import { invalidParameter } from '../graph/graph-errors.ts';
import { asObject, asString, type JsonObject } from '../graph/json-object.ts';
import type { Platform } from '../platform.ts';
import type { PhoneNumber } from '../records.ts';

/** Sets a number's own webhook address from `webhook_configuration` (an empty one removes it), or asks for another display name. */
export function changeNumber({ world }: Platform, number: PhoneNumber, body: JsonObject): JsonObject {
  const name = asString(body.new_display_name);
  if (name !== undefined) {
    Object.assign(number.attributes, { new_display_name: name, new_name_status: 'PENDING_REVIEW' });
    return { success: true };
  }
  const uri = asString(asObject(body.webhook_configuration)?.override_callback_uri);
  if (uri === undefined) throw invalidParameter('webhook_configuration needs override_callback_uri.');
  if (world.findWaba(number.wabaId)?.subscribed !== true) {
    throw invalidParameter(
      'Before override the current callback uri, your app must be subscribed to receive messages.',
    );
  }
  number.overrideCallbackUri = uri === '' ? null : uri;
  return { success: true };
}
