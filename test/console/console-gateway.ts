import { type AnswerWebhook, startReceiver } from '../api/webhooks/receiver.ts';
import type { GatewayOptions } from '../harness/gateway.ts';

/** A gateway whose pages know the simulator, and whose endpoints may be on this machine. */
export const CONSOLE_OPTIONS: GatewayOptions = {
  fetchAllowCidrs: ['127.0.0.0/8'],
  settings: ({ upstream }) => ({ upstream: { ...upstream, isBuiltIn: true } }),
};

/** Path of an endpoint that refuses deliveries. */
export const REFUSED = '/refused';

const answer: AnswerWebhook = ({ path }, response) => {
  response.writeHead(path.endsWith(REFUSED) ? 500 : 204).end(path.endsWith(REFUSED) ? 'The shop has moved.' : '');
};

/** Starts a receiver that takes deliveries, but refuses those to `REFUSED`. */
export function startConsoleReceiver() {
  return startReceiver(answer);
}
