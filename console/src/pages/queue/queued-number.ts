import type { AnswerOf } from '../../api/shapes.ts';

/** A number with waiting messages. */
export type QueuedNumber = AnswerOf<'getQueue'>['numbers'][number] & {
  /** Messages a second that it has sent in the last seconds. */
  used_per_second?: number;
};
