import type { FaultSelection } from '../control/faults.ts';
import { GraphError, graphErrorBody } from './graph-errors.ts';
import type { JsonObject } from './json-object.ts';

/** The end of a request on the wire. */
export type Reply =
  | { kind: 'answer'; httpStatus: number; body: string; contentType: string; delayMs: number }
  /** The connection stays open and no answer comes. */
  | { kind: 'silence' }
  | { kind: 'reset' }
  /** The headers promise the whole body; half of it is sent, then the connection ends. */
  | { kind: 'cut'; body: string };

type Answer = Reply & { kind: 'answer' };

const JSON_TYPE = 'application/json; charset=UTF-8';

/** Returns the documented error body, delayed by `delayMs`. */
function errorReply(error: GraphError, traceId: string, delayMs: number): Answer {
  const body = JSON.stringify(graphErrorBody(error, traceId));
  return { kind: 'answer', httpStatus: error.httpStatus, body, contentType: JSON_TYPE, delayMs };
}

/** Returns the reply if the fault prevents the work; undefined if the work is to be done. */
export function replyUndone({ request: fault, delayMs }: FaultSelection, traceId: string): Reply | undefined {
  switch (fault?.kind) {
    case 'error': {
      const { code, kind: _, ...fields } = fault;
      return errorReply(new GraphError(code, fields), traceId, delayMs);
    }
    case 'http': {
      const { httpStatus, body = '', contentType = 'text/plain' } = fault;
      return { kind: 'answer', httpStatus, body, contentType, delayMs };
    }
    case 'hang':
      return { kind: 'silence' };
    case 'reset_before':
      return { kind: 'reset' };
    default:
      return undefined;
  }
}

/**
 * Does `work` and shapes the answer by the faults. A GraphError from `work` becomes its documented body; any other error passes through.
 */
export async function replyDone(
  { request: fault, delayMs }: FaultSelection,
  traceId: string,
  work: () => JsonObject | Promise<JsonObject>,
): Promise<Reply> {
  const answer = await ordinaryReply(work, traceId, delayMs);
  switch (fault?.kind) {
    case 'reset_after':
      return { kind: 'reset' };
    case 'reply_lost':
      return { kind: 'silence' };
    case 'reply_cut':
      return { kind: 'cut', body: answer.body };
    default:
      return answer;
  }
}

async function ordinaryReply(
  work: () => JsonObject | Promise<JsonObject>,
  traceId: string,
  delayMs: number,
): Promise<Answer> {
  try {
    const body = JSON.stringify(await work());
    return { kind: 'answer', httpStatus: 200, body, contentType: JSON_TYPE, delayMs };
  } catch (error) {
    if (error instanceof GraphError) return errorReply(error, traceId, delayMs);
    throw error;
  }
}
