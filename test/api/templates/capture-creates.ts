import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** What the HTTP client tells of a request it is handed. */
interface RequestCreated {
  request: { method: string; path: string; body: unknown };
}

/** The bodies handed to the HTTP client for template creates upstream, until it is disposed. */
export function captureCreates(path = /^\/v24\.0\/\d+\/message_templates$/): Disposable & { bodies: string[] } {
  const bodies: string[] = [];
  const listen = (message: unknown) => {
    const { request } = message as RequestCreated;
    // The tests' own fetch hands over its bodies as streams.
    const isOurs = typeof request.body === 'string' || Buffer.isBuffer(request.body);
    if (isOurs && request.method === 'POST' && path.test(request.path)) bodies.push(String(request.body));
  };
  subscribe('undici:request:create', listen);
  return { bodies, [Symbol.dispose]: () => void unsubscribe('undici:request:create', listen) };
}
