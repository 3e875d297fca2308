import { call } from '../../api/call.ts';

/** Calls the control API of the simulator through the gateway. */
export function simulate<Answer>(
  method: string,
  path: string,
  body?: unknown,
  query?: Record<string, string | number | undefined>,
  signal?: AbortSignal,
): Promise<Answer> {
  return call(method, `/console/simulator/${path}`, { body, query, signal });
}
