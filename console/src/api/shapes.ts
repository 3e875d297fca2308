export type { AnswerOf, BodyOf, QueryOf, Schema } from '../../../clients/typescript/src/api-shapes.ts';
