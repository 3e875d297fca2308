export type { AnswerOf, BodyOf, EventType, Schema } from '../../../clients/typescript/src/api-shapes.ts';
