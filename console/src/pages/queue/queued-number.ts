import type { AnswerOf } from '../../api/shapes.ts';

/** A number with waiting messages. */
export type QueuedNumber = AnswerOf<'getQueue'>['numbers'][number];
