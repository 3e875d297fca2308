export type { AppCredentials } from './app-webhooks.ts';
export type { CreatedTemplate, TemplateSelection } from './change-templates.ts';
export type { TokenFacts } from './debug-token.ts';
export type { CallUsage } from './graph/answer-hints.ts';
export { type CallFailure, type CallResult, retryAfterSecondsOf } from './graph/call-result.ts';
export { ERROR_CODE_LABELS, errorCodeLabelOf } from './graph/errors/error-code-label.ts';
export { fileNameParameters } from './graph/multipart.ts';
export type { PassedAnswer, PassedFile, PassedUpload } from './graph/pass-through.ts';
export { PlatformClock } from './graph/platform-clock.ts';
export type { ReportedNames } from './graph/reported-names.ts';
export { isTestToken, TEST_TOKEN_PREFIX } from './graph/test-token.ts';
export type { Throttle } from './graph/throttle.ts';
export type { MediaDownload, UpstreamMedia } from './media-objects.ts';
export { type NumberHealth, ONBOARDED } from './read-number-health.ts';
export type { ListedNumber, UpstreamNumber } from './read-numbers.ts';
export type { ListedTemplate, UpstreamTemplate } from './read-templates.ts';
export { routeByToken } from './routing/route-by-token.ts';
export { type GraphApp, TokenApps } from './routing/token-apps.ts';
export type { SendRequest, SendRoad } from './send-message.ts';
export type { SendOutcome } from './send-outcome.ts';
export type { NumberState } from './signup/register-number.ts';
export type { AppSubscription } from './subscribe-app.ts';
export { createUpstream, type Upstream } from './upstream.ts';
export {
  isAddressOfApp,
  isOwnWebhookAddress,
  type NumberWebhooks,
  type WebhookAddress,
  webhookPathOf,
} from './webhook-address.ts';
