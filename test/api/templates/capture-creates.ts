import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** Diagnostics message of the HTTP client about a request. */
interface RequestCreated {
  request: { method: string; path: string; body: unknown };
}

/** Collects the bodies of template creates sent upstream, until it is disposed. */
export function captureCreates(path = /^\/v24\.0\/\d+\/message_templates$/): Disposable & { bodies: string[] } {
  const bodies: string[] = [];
  const listen = (message: unknown) => {
    const { request } = message as RequestCreated;
    // The tests' own fetch sends its bodies as streams.
    const isOurs = typeof request.body === 'string' || Buffer.isBuffer(request.body);
    if (isOurs && request.method === 'POST' && path.test(request.path)) bodies.push(String(request.body));
  };
  subscribe('undici:request:create', listen);
  return { bodies, [Symbol.dispose]: () => void unsubscribe('undici:request:create', listen) };
}
