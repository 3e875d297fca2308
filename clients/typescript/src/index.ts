export type { AnswerOf, BodyOf, EventType, FeedEvent, QueryOf, Schema, WebhookEvent } from './api-shapes.ts';
export { Fairway } from './client.ts';
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  type ErrorBody,
  FairwayError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RejectedError,
  ServerError,
  TimeoutError,
} from './errors.ts';
export type { Page, PagedList } from './pages.ts';
export type { AuditedChange } from './resources/audit.ts';
export type { EventWaitOptions, FeedOptions } from './resources/events.ts';
export type { Upload } from './resources/media.ts';
export type { MarketingBody, Message, MessageWaitOptions, SendBody, SendOptions, Sent } from './resources/messages.ts';
export type { BlockedUser, BlockResult, Profile, ProfileChange, QrCode } from './resources/numbers.ts';
export type { OptOut } from './resources/opt-outs.ts';
export type { Erasure, PersonData } from './resources/people.ts';
export type { Template } from './resources/templates.ts';
export type { WebhookEndpoint } from './resources/webhooks.ts';
export type { ApiAnswer, ApiRequest, CallOptions, ClientOptions } from './transport/transport.ts';
export {
  type Delivery,
  type StandardDelivery,
  verifyCloudApiWebhook,
  verifyWebhook,
  WebhookVerificationError,
} from './verify/verify-webhook.ts';
export { MessageFailedError, WaitTimeoutError } from './waiting.ts';
