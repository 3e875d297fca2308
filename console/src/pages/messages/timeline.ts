import type { AnswerOf } from '../../api/shapes.ts';

/** The history of a message, as the API shows it. */
export type Timeline = AnswerOf<'getMessageTimeline'> & {
  price?: { micros: number } | null;
  biz_opaque_callback_data?: string | null;
};
