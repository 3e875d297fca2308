import { AppError, invalid } from '../core/errors.ts';

/** Parts of the control API that pages may use. A reset, and webhooks to other addresses, are not among them. */
const OPEN =
  /^(?:health|settings|sends|violations|deliveries|inbound|faults|people|numbers|calls|handovers|echoes|windows|templates|announce)(?:\/[\w+-][\w.+-]*)*$/;
const ANSWER_MS_MAX = 30_000;

/** A request to the control API. */
export interface ControlRequest {
  method: string;
  /** Path below `/_sim/`. */
  path: string;
  /** With its question mark; empty without a query. */
  query: string;
  body: Buffer | undefined;
}

/**
 * Asks the control API of the simulated platform that this process started, and returns its status and JSON. Raises NOT_FOUND for a part that
 * is not open, and UNAVAILABLE if the simulator does not answer.
 */
export async function askSimulator(
  origin: string,
  { method, path, query, body }: ControlRequest,
): Promise<{ status: number; json: string }> {
  if (!OPEN.test(path)) throw new AppError('NOT_FOUND', `The playground has no ${path}.`);
  const url = `${origin}/_sim/${path}${query}`;
  if (!URL.canParse(url)) throw invalid('The path cannot be read.');
  try {
    const answer = await fetch(url, {
      method,
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
      redirect: 'error',
      ...(body !== undefined && body.length > 0 && { body: new Uint8Array(body) }),
    });
    return { status: answer.status, json: await answer.text() };
  } catch (error) {
    throw new AppError('UNAVAILABLE', 'The simulated platform does not answer.', { retryAfterSeconds: 1 }, error);
  }
}
