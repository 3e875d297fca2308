import type { FlowWindow } from './flow-window.ts';
import type { QueueRow } from './scheduler-types.ts';

/** A queue row in memory, without what its flow and its chain know already. */
export class QueuedMessage {
  readonly seq: number;
  readonly flow: FlowWindow;
  readonly messageId: string;
  readonly acceptedAtMs: number;
  attempt: number;
  /** -Infinity = at once; a number always, so that the field keeps one representation. */
  dueAtMs: number;

  constructor(row: QueueRow, flow: FlowWindow) {
    this.seq = row.seq;
    this.flow = flow;
    this.messageId = row.messageId;
    this.acceptedAtMs = row.acceptedAtMs;
    this.attempt = row.attempt;
    this.dueAtMs = row.dueAtMs ?? Number.NEGATIVE_INFINITY;
  }
}
