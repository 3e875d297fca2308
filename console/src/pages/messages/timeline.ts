import type { AnswerOf } from '../../api/shapes.ts';

/** The history of a message, as the API shows it. */
export type Timeline = AnswerOf<'getMessageTimeline'>;
