import type { JsonObject } from '../graph/json-object.ts';
import { asObject } from '../graph/json-object.ts';

/** One change that the platform reports; becomes a member of `entry[].changes[]`. */
export interface WebhookUpdate {
  wabaId: string;
  field: string;
  value: JsonObject;
  /** Milliseconds since the epoch; becomes the entry's `time`, which `messages` webhooks do not have. */
  time?: number;
}

/**
 * Builds the payload of one POST from several updates, batched like the platform: one entry per account, and the statuses of one number in
 * one change.
 */
export function buildWebhookPayload(updates: readonly WebhookUpdate[]): JsonObject {
  const entries = new Map<string, { id: string; time?: number; changes: { value: JsonObject; field: string }[] }>();
  const statusChanges = new Map<string, JsonObject>();
  for (const update of updates) {
    const time = update.time === undefined ? undefined : Math.floor(update.time / 1000);
    let entry = entries.get(update.wabaId);
    if (entry === undefined) {
      entry = { id: update.wabaId, ...(time === undefined ? {} : { time }), changes: [] };
      entries.set(update.wabaId, entry);
    }
    const key = statusKey(update);
    const batch = key === null ? undefined : statusChanges.get(key);
    if (batch !== undefined) {
      mergeStatuses(batch, update.value);
      continue;
    }
    const value = { ...update.value };
    if (key !== null) statusChanges.set(key, value);
    entry.changes.push({ value, field: update.field });
  }
  return { object: 'whatsapp_business_account', entry: [...entries.values()] };
}

/** Returns a key: updates with an equal key may share one change. `null` for all but statuses. */
function statusKey(update: WebhookUpdate): string | null {
  if (update.field !== 'messages' || !Array.isArray(update.value.statuses)) return null;
  return `${update.wabaId}\0${asObject(update.value.metadata)?.phone_number_id}`;
}

function mergeStatuses(into: JsonObject, value: JsonObject): void {
  for (const key of ['contacts', 'statuses']) {
    const more = value[key];
    if (Array.isArray(more)) into[key] = [...((into[key] as unknown[] | undefined) ?? []), ...more];
  }
}
