import { callGraph, readSuccess } from './graph/call-graph.ts';
import type { CallResult } from './graph/call-result.ts';
import { type GraphClient, nodePath } from './graph/graph-client.ts';

/** A read receipt: the JSON to send byte for byte, and the number that received the message. */
export interface ReadReceiptRequest {
  phoneNumberId: string;
  token: string;
  body: string;
}

/** Forwards a read receipt, with or without a typing indicator (api-rules#sending). A repeat does no harm. */
export function markAsRead(client: GraphClient, request: ReadReceiptRequest): Promise<CallResult<true>> {
  return callGraph(client, {
    name: 'markAsRead',
    method: 'POST',
    objectId: request.phoneNumberId,
    path: nodePath(request.phoneNumberId, 'messages'),
    token: request.token,
    headers: ['content-type', 'application/json'],
    body: request.body,
    read: readSuccess,
  });
}
