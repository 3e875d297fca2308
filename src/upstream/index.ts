export type { CallFailure, CallResult } from './call-result.ts';
export type { CreatedTemplate, TemplateSelection } from './change-templates.ts';
export type { MediaDownload, UpstreamMedia } from './media-objects.ts';
export { fileNameParameters } from './multipart.ts';
export type { ListedNumber, UpstreamNumber } from './read-numbers.ts';
export type { ListedTemplate, UpstreamTemplate } from './read-templates.ts';
export type { SendRequest } from './send-message.ts';
export type { SendOutcome } from './send-outcome.ts';
export { createUpstream, type Upstream } from './upstream.ts';
