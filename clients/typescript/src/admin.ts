import type { AnswerOf, BodyOf, QueryOf, Schema } from './api-shapes.ts';
import { PagedList } from './pages.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  type CallOptions,
  type ClientOptions,
  Transport,
} from './transport/transport.ts';

export type { ClientOptions } from './transport/transport.ts';

/** Client of the operator. Each method is one operation of the admin API. */
export class FairwayAdmin {
  readonly #transport: Transport;

  /** @param options `adminToken` is the operator's token */
  constructor({ adminToken, ...options }: ClientOptions & { adminToken: string }) {
    this.#transport = new Transport(options, adminToken);
  }

  createOrganization(body: BodyOf<'createOrganization'>, options?: CallOptions): Promise<Schema<'Organization'>> {
    return this.#call('POST', '/organizations', { ...options, json: body });
  }

  listOrganizations(
    query: QueryOf<'listOrganizations'> = {},
    options?: CallOptions,
  ): PagedList<Schema<'Organization'>> {
    const read = (after: string | undefined) =>
      this.#call<AnswerOf<'listOrganizations'>>('GET', '/organizations', { ...options, query: { ...query, after } });
    return new PagedList(read, query.after);
  }

  getOrganization(id: string, options?: CallOptions): Promise<Schema<'Organization'>> {
    return this.#call('GET', `/organizations/${encodeURIComponent(id)}`, options);
  }

  updateOrganization(id: string, body: BodyOf<'updateOrganization'>, options?: CallOptions) {
    return this.#call<Schema<'Organization'>>('PATCH', `/organizations/${encodeURIComponent(id)}`, {
      ...options,
      json: body,
    });
  }

  closeOrganization(id: string, options?: CallOptions): Promise<void> {
    return this.#call('DELETE', `/organizations/${encodeURIComponent(id)}`, options);
  }

  /** Creates a key of an organization. Only this answer has the key itself. */
  createApiKey(organizationId: string, body: BodyOf<'createApiKey'>, options?: CallOptions) {
    const path = `/organizations/${encodeURIComponent(organizationId)}/api-keys`;
    return this.#call<AnswerOf<'createApiKey'>>('POST', path, { ...options, json: body });
  }

  listApiKeys(
    organizationId: string,
    query: QueryOf<'listApiKeys'> = {},
    options?: CallOptions,
  ): PagedList<Schema<'ApiKey'>> {
    const path = `/organizations/${encodeURIComponent(organizationId)}/api-keys`;
    const read = (after: string | undefined) =>
      this.#call<AnswerOf<'listApiKeys'>>('GET', path, { ...options, query: { ...query, after } });
    return new PagedList(read, query.after);
  }

  /** Changes the name or the limits of a key. */
  updateApiKey(id: string, body: BodyOf<'updateApiKey'>, options?: CallOptions): Promise<Schema<'ApiKey'>> {
    return this.#call('PATCH', `/api-keys/${encodeURIComponent(id)}`, { ...options, json: body });
  }

  /** Makes a new key with the same id. The old one works for a day too, or for `overlap_seconds`. */
  rotateApiKey(id: string, body: BodyOf<'rotateApiKey'> = {}, options?: CallOptions) {
    const path = `/api-keys/${encodeURIComponent(id)}/rotate`;
    return this.#call<AnswerOf<'rotateApiKey'>>('POST', path, { ...options, json: body });
  }

  disableApiKey(id: string, options?: CallOptions): Promise<void> {
    return this.#call('DELETE', `/api-keys/${encodeURIComponent(id)}`, options);
  }

  getPlan(organizationId: string, options?: CallOptions): Promise<Schema<'Plan'>> {
    return this.#call('GET', `/organizations/${encodeURIComponent(organizationId)}/plan`, options);
  }

  setPlan(organizationId: string, body: BodyOf<'setPlan'>, options?: CallOptions): Promise<Schema<'Plan'>> {
    return this.#call('PUT', `/organizations/${encodeURIComponent(organizationId)}/plan`, { ...options, json: body });
  }

  getUsage(organizationId: string, query: QueryOf<'getUsage'> = {}, options?: CallOptions): Promise<Schema<'Usage'>> {
    return this.#call('GET', `/organizations/${encodeURIComponent(organizationId)}/usage`, { ...options, query });
  }

  getUsageDays(
    organizationId: string,
    query: QueryOf<'getUsageDays'> = {},
    options?: CallOptions,
  ): Promise<Schema<'UsageDays'>> {
    return this.#call('GET', `/organizations/${encodeURIComponent(organizationId)}/usage/days`, { ...options, query });
  }

  connectWaba(organizationId: string, body: BodyOf<'connectWaba'>, options?: CallOptions) {
    const path = `/organizations/${encodeURIComponent(organizationId)}/wabas`;
    return this.#call<Schema<'BusinessAccount'>>('POST', path, { ...options, json: body });
  }

  listWabas(
    organizationId: string,
    query: QueryOf<'listWabas'> = {},
    options?: CallOptions,
  ): PagedList<AnswerOf<'listWabas'>['data'][number]> {
    const path = `/organizations/${encodeURIComponent(organizationId)}/wabas`;
    const read = (after: string | undefined) =>
      this.#call<AnswerOf<'listWabas'>>('GET', path, { ...options, query: { ...query, after } });
    return new PagedList(read, query.after);
  }

  /** Begins the way from an access token, or the code of a sign-up, to a delivered message. Read it until its state is not `running`. */
  beginOnboarding(organizationId: string, body: BodyOf<'beginOnboarding'>, options?: CallOptions) {
    const path = `/organizations/${encodeURIComponent(organizationId)}/onboardings`;
    return this.#call<Schema<'Onboarding'>>('POST', path, { ...options, json: body });
  }

  listOnboardings(
    organizationId: string,
    query: QueryOf<'listOnboardings'> = {},
    options?: CallOptions,
  ): PagedList<Schema<'Onboarding'>> {
    const path = `/organizations/${encodeURIComponent(organizationId)}/onboardings`;
    const read = (after: string | undefined) =>
      this.#call<AnswerOf<'listOnboardings'>>('GET', path, { ...options, query: { ...query, after } });
    return new PagedList(read, query.after);
  }

  getOnboarding(organizationId: string, id: string, options?: CallOptions): Promise<Schema<'Onboarding'>> {
    return this.#call('GET', onboardingPath(organizationId, id), options);
  }

  /** Repeats a step and all that follow it, with the values of the body in place of the earlier ones. */
  repeatOnboardingStep(
    organizationId: string,
    id: string,
    step: string,
    body: BodyOf<'repeatOnboardingStep'> = {},
    options?: CallOptions,
  ) {
    const path = `${onboardingPath(organizationId, id)}/steps/${encodeURIComponent(step)}`;
    return this.#call<Schema<'Onboarding'>>('POST', path, { ...options, json: body });
  }

  /** Returns the PIN with which the number was registered. It is shown once. */
  takeOnboardingPin(organizationId: string, id: string, options?: CallOptions) {
    return this.#call<AnswerOf<'takeOnboardingPin'>>('POST', `${onboardingPath(organizationId, id)}/pin`, options);
  }

  endOnboarding(organizationId: string, id: string, options?: CallOptions): Promise<void> {
    return this.#call('DELETE', onboardingPath(organizationId, id), options);
  }

  /** Creates a link by which a person of the organization shares a business account. Only this answer has its address. */
  createSetupLink(organizationId: string, body: BodyOf<'createSetupLink'> = {}, options?: CallOptions) {
    const path = `/organizations/${encodeURIComponent(organizationId)}/setup-links`;
    return this.#call<Schema<'SetupLinkWithUrl'>>('POST', path, { ...options, json: body });
  }

  listSetupLinks(
    organizationId: string,
    query: QueryOf<'listSetupLinks'> = {},
    options?: CallOptions,
  ): PagedList<Schema<'SetupLink'>> {
    const path = `/organizations/${encodeURIComponent(organizationId)}/setup-links`;
    const read = (after: string | undefined) =>
      this.#call<AnswerOf<'listSetupLinks'>>('GET', path, { ...options, query: { ...query, after } });
    return new PagedList(read, query.after);
  }

  revokeSetupLink(organizationId: string, id: string, options?: CallOptions): Promise<void> {
    const path = `/organizations/${encodeURIComponent(organizationId)}/setup-links/${encodeURIComponent(id)}`;
    return this.#call('DELETE', path, options);
  }

  syncWaba(wabaId: string, options?: CallOptions): Promise<Schema<'BusinessAccount'>> {
    return this.#call('POST', `/wabas/${encodeURIComponent(wabaId)}/sync`, options);
  }

  disconnectWaba(wabaId: string, options?: CallOptions): Promise<void> {
    return this.#call('DELETE', `/wabas/${encodeURIComponent(wabaId)}`, options);
  }

  /** Changes where the marketing templates of a business account go, or its Meta app. */
  updateWaba(wabaId: string, body: BodyOf<'updateWaba'>, options?: CallOptions) {
    const path = `/wabas/${encodeURIComponent(wabaId)}`;
    return this.#call<AnswerOf<'updateWaba'>>('PATCH', path, { ...options, json: body });
  }

  updateNumber(phoneNumberId: string, body: BodyOf<'updateNumber'>, options?: CallOptions) {
    const path = `/numbers/${encodeURIComponent(phoneNumberId)}`;
    return this.#call<Schema<'SendingNumber'>>('PATCH', path, { ...options, json: body });
  }

  /** Adds a further Meta app. No answer has its secrets. */
  createApp(body: BodyOf<'createApp'>, options?: CallOptions): Promise<Schema<'MetaApp'>> {
    return this.#call('POST', '/apps', { ...options, json: body });
  }

  listApps(options?: CallOptions): Promise<AnswerOf<'listApps'>> {
    return this.#call('GET', '/apps', options);
  }

  getApp(id: string, options?: CallOptions): Promise<Schema<'MetaApp'>> {
    return this.#call('GET', `/apps/${encodeURIComponent(id)}`, options);
  }

  updateApp(id: string, body: BodyOf<'updateApp'>, options?: CallOptions): Promise<Schema<'MetaApp'>> {
    return this.#call('PATCH', `/apps/${encodeURIComponent(id)}`, { ...options, json: body });
  }

  deleteApp(id: string, options?: CallOptions): Promise<void> {
    return this.#call('DELETE', `/apps/${encodeURIComponent(id)}`, options);
  }

  /** Creates an operator. Only this answer and that of `rotateOperatorToken` have the token. */
  createOperator(body: BodyOf<'createOperator'>, options?: CallOptions): Promise<Schema<'OperatorWithToken'>> {
    return this.#call('POST', '/operators', { ...options, json: body });
  }

  listOperators(query: QueryOf<'listOperators'> = {}, options?: CallOptions): PagedList<Schema<'Operator'>> {
    const read = (after: string | undefined) =>
      this.#call<AnswerOf<'listOperators'>>('GET', '/operators', { ...options, query: { ...query, after } });
    return new PagedList(read, query.after);
  }

  getOperator(id: string, options?: CallOptions): Promise<Schema<'Operator'>> {
    return this.#call('GET', `/operators/${encodeURIComponent(id)}`, options);
  }

  updateOperator(id: string, body: BodyOf<'updateOperator'>, options?: CallOptions): Promise<Schema<'Operator'>> {
    return this.#call('PATCH', `/operators/${encodeURIComponent(id)}`, { ...options, json: body });
  }

  /** Makes a new token. The old one works for `overlap_seconds` (default 0). */
  rotateOperatorToken(id: string, body: BodyOf<'rotateOperatorToken'> = {}, options?: CallOptions) {
    const path = `/operators/${encodeURIComponent(id)}/rotate`;
    return this.#call<Schema<'OperatorWithToken'>>('POST', path, { ...options, json: body });
  }

  revokeOperator(id: string, options?: CallOptions): Promise<void> {
    return this.#call('DELETE', `/operators/${encodeURIComponent(id)}`, options);
  }

  /** Reads name and role of the token's owner. */
  whoAmI(options?: CallOptions): Promise<AnswerOf<'whoAmI'>> {
    return this.#call('GET', '/me', options);
  }

  /** Lists changes of all organizations and of the deployment, newest first. */
  listAudit(query: QueryOf<'listAudit'> = {}, options?: CallOptions): PagedList<Schema<'AuditedChange'>> {
    const read = (after: string | undefined) =>
      this.#call<AnswerOf<'listAudit'>>('GET', '/audit', { ...options, query: { ...query, after } });
    return new PagedList(read, query.after);
  }

  /** Checks one chain of the audit log, that of the deployment without an organization. */
  verifyAudit(query: QueryOf<'verifyAudit'> = {}, options?: CallOptions): Promise<AnswerOf<'verifyAudit'>> {
    return this.#call('GET', '/audit/verification', { ...options, query });
  }

  /** Reads the state of the whole gateway. Made to be polled. */
  getOverview(options?: CallOptions): Promise<AnswerOf<'getOverview'>> {
    return this.#call('GET', '/overview', options);
  }

  getQueue(query: QueryOf<'getQueue'> = {}, options?: CallOptions): Promise<AnswerOf<'getQueue'>> {
    return this.#call('GET', '/queue', { ...options, query });
  }

  /** Reads whose message goes next, on every node. Made to be polled. */
  getNextMessages(query: QueryOf<'getNextMessages'> = {}, options?: CallOptions): Promise<AnswerOf<'getNextMessages'>> {
    return this.#call('GET', '/queue/next', { ...options, query });
  }

  /** Calls any path of the gateway, with the same token, repetitions and errors. */
  request<Body>(request: ApiRequest): Promise<ApiAnswer<Body>> {
    return this.#transport.json(request);
  }

  #call<Body>(
    method: ApiRequest['method'],
    path: string,
    request?: Omit<ApiRequest, 'method' | 'path'>,
  ): Promise<Body> {
    return this.#transport.body({ ...request, method, path: `/admin/v1${path}` });
  }
}

function onboardingPath(organizationId: string, id: string): string {
  return `/organizations/${encodeURIComponent(organizationId)}/onboardings/${encodeURIComponent(id)}`;
}
