import type { components, operations, webhooks } from './api-types.ts';

/** An object of the API by its name in the OpenAPI file, such as `Schema<'Message'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** Body of an operation, by its operation id. */
export type BodyOf<Name extends keyof operations> =
  NonNullable<operations[Name]['requestBody']> extends { content: infer Content } ? Content[keyof Content] : never;

/** JSON answer of an operation. */
export type AnswerOf<Name extends keyof operations> = {
  [Status in keyof operations[Name]['responses']]: operations[Name]['responses'][Status] extends {
    content: { 'application/json': infer Body };
  }
    ? Body
    : never;
}[keyof operations[Name]['responses']];

/** Query parameters of an operation. */
export type QueryOf<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>;

/** Type of an event, such as `message.delivered`. */
export type EventType = keyof webhooks;

/** Payload of a delivery in the format `standard`, distinguished by its `type`. */
export type WebhookEvent<Type extends EventType = EventType> = {
  [Name in Type]: webhooks[Name]['post']['requestBody']['content']['application/json'];
}[Type];

/** An event of the feed: the payload of its delivery, with its id. */
export type FeedEvent<Type extends EventType = EventType> = {
  [Name in Type]: WebhookEvent<Name> & { id: string };
}[Type];
