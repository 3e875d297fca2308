import type { AnswerOf } from '../../api/shapes.ts';

/** The state of the whole gateway. */
export type Overview = AnswerOf<'getOverview'>;
export type Minute = Overview['minutes'][number];
export type NodeState = Overview['nodes'][number];
export type Attention = Overview['attention'][number];
