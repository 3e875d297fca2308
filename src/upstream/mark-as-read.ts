import type { ProviderError } from '../core/errors.ts';
import { callGraph, readSuccess } from './call-graph.ts';
import { type GraphClient, nodePath } from './graph-client.ts';

/** A read receipt: the JSON to send byte for byte, and the inbound number it is about. */
export interface ReadReceiptRequest {
  phoneNumberId: string;
  token: string;
  body: string | Buffer;
}

/** What became of a read receipt. Waits are milliseconds, null when the platform gave none. */
export type ReadReceiptOutcome =
  | { kind: 'ok' }
  | { kind: 'rejected'; code: string; message: string; provider: ProviderError }
  | { kind: 'unavailable'; reason: string; retryAfterMs: number | null };

/** Passes a read receipt on, with or without a typing indicator (spec 4.2). Sending it twice does no harm. */
export async function markAsRead(client: GraphClient, request: ReadReceiptRequest): Promise<ReadReceiptOutcome> {
  const result = await callGraph(client, {
    name: 'markAsRead',
    method: 'POST',
    objectId: request.phoneNumberId,
    path: nodePath(request.phoneNumberId, 'messages'),
    token: request.token,
    headers: ['content-type', 'application/json'],
    body: request.body,
    read: readSuccess,
  });
  switch (result.kind) {
    case 'ok':
      return { kind: 'ok' };
    case 'rejected':
    case 'credential':
      return { kind: 'rejected', code: result.code, message: result.message, provider: result.provider };
    case 'throttled':
      return { kind: 'unavailable', reason: 'throttled', retryAfterMs: result.retryAfterMs };
    case 'unavailable':
      return { kind: 'unavailable', reason: result.reason, retryAfterMs: result.retryAfterMs };
  }
}
