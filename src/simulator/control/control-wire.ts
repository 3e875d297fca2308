import { asObject, asObjects, asString, type JsonObject } from '../graph/json-object.ts';
import type { InboundSeed } from '../messages/receive-inbound.ts';
import type { SendRecord } from '../messages/send-log.ts';
import type { PlatformSettings } from '../platform.ts';
import type { NumberSeed, TemplateSeed, ThroughputLevel, WabaChange, WabaSeed } from '../records.ts';
import type { Violation } from '../violation-log.ts';
import type { SignatureMode, WebhookDelivery } from '../webhooks/webhook-sender.ts';
import {
  type EndpointKind,
  type Fault,
  type FaultRule,
  type FaultScope,
  type FaultSeed,
  isFaultKind,
} from './faults.ts';
import { booleanOf, numberOf, present, textFromWire } from './wire-members.ts';

/** Reads `{waba_id, access_token, app_id?, name?, subscribed?, numbers?, templates?}` and the members of `wabaChangeFromWire`. */
export function wabaFromWire(body: JsonObject): WabaSeed {
  const { waba_id: _, access_token: __, app_id, name, subscribed, numbers, templates, ...rest } = body;
  return {
    id: textFromWire(body, 'waba_id'),
    accessToken: textFromWire(body, 'access_token'),
    ...present<WabaSeed>({ name: asString(name), appId: asString(app_id), subscribed: booleanOf(subscribed) }),
    numbers: asObjects(numbers).map(numberFromWire),
    templates: asObjects(templates).map(templateFromWire),
    ...wabaChangeFromWire(rest),
  };
}

/** Reads `{portfolio_id?, parent_portfolio_id?, contact_book?}`; all other members are Graph fields. */
export function wabaChangeFromWire(body: JsonObject): WabaChange {
  const { portfolio_id: portfolioId, parent_portfolio_id: parentPortfolioId, contact_book: book, ...attributes } = body;
  return {
    ...present<WabaChange>({
      portfolioId: asString(portfolioId),
      parentPortfolioId: parentPortfolioId === null ? null : asString(parentPortfolioId),
      hasContactBook: booleanOf(book),
    }),
    attributes,
  };
}

/** Reads a number with the Graph's own field names, plus the members of the simulator. */
export function numberFromWire(body: JsonObject): NumberSeed {
  return {
    id: textFromWire(body, 'id'),
    displayPhoneNumber: textFromWire(body, 'display_phone_number'),
    ...numberChangeFromWire(body),
  };
}

/** Reads the present members of a number. Members without a meaning for the simulator stay Graph fields. */
export function numberChangeFromWire(body: JsonObject): Partial<Omit<NumberSeed, 'id'>> {
  const {
    id: _,
    display_phone_number: displayPhoneNumber,
    verified_name: verifiedName,
    status,
    platform_type: platformType,
    quality_rating: qualityRating,
    throughput,
    is_on_biz_app: isOnBizApp,
    messages_per_second: messagesPerSecond,
    country_dial_code: countryDialCode,
    override_callback_uri: overrideCallbackUri,
    allowed_recipients: allowedRecipients,
    ...attributes
  } = body;
  const level = asString(asObject(throughput)?.level ?? throughput) as ThroughputLevel | undefined;
  return present<Omit<NumberSeed, 'id'>>({
    displayPhoneNumber: asString(displayPhoneNumber),
    verifiedName: asString(verifiedName),
    status: asString(status),
    platformType: asString(platformType),
    qualityRating: asString(qualityRating),
    throughputLevel: level,
    isOnBizApp: booleanOf(isOnBizApp),
    messagesPerSecond: messagesPerSecond === null ? null : numberOf(messagesPerSecond),
    countryDialCode: asString(countryDialCode),
    overrideCallbackUri: overrideCallbackUri === null ? null : asString(overrideCallbackUri),
    allowedRecipients: Array.isArray(allowedRecipients) ? allowedRecipients.map(String) : undefined,
    attributes: Object.keys(attributes).length === 0 ? undefined : attributes,
  });
}

/** Reads a template with the Graph's own field names; its components are stored unchanged. */
export function templateFromWire(body: JsonObject): TemplateSeed {
  const { id, name: _, language: __, category, status, components, parameter_format: format, ...attributes } = body;
  return {
    name: textFromWire(body, 'name'),
    language: textFromWire(body, 'language'),
    ...present<TemplateSeed>({
      id: id === undefined ? undefined : String(id),
      category: asString(category),
      status: asString(status),
      components: components === undefined ? undefined : asObjects(components),
      parameterFormat: format === 'NAMED' ? 'NAMED' : undefined,
    }),
    attributes,
  };
}

/** Reads `{phone_number_id, from, type?, text?, content? or <type>?, …}`. */
export function inboundFromWire(body: JsonObject): InboundSeed {
  const type = asString(body.type) ?? 'text';
  const text = asString(body.text);
  const content = body.content ?? (text === undefined ? body[type] : undefined);
  const media = asObject(body.media);
  return {
    phoneNumberId: textFromWire(body, 'phone_number_id'),
    from: textFromWire(body, 'from'),
    type,
    ...present<InboundSeed>({
      text,
      content,
      media:
        media === undefined
          ? undefined
          : { bytes: Buffer.from(textFromWire(media, 'base64'), 'base64'), mimeType: textFromWire(media, 'mime_type') },
      context: asObject(body.context),
      referral: asObject(body.referral),
      profileName: asString(body.profile_name),
      at: numberOf(body.at),
      wamid: asString(body.wamid),
      groupId: asString(body.group_id),
      hidesPhone: booleanOf(body.hides_phone),
      signature: signatureFromWire(body.signature),
    }),
  };
}

export function signatureFromWire(value: unknown): SignatureMode | undefined {
  return value === 'wrong' || value === 'missing' || value === 'valid' ? value : undefined;
}

/** Reads `{kind, …, scope?, times?, period_ms?, probability?}`; the fault's own members are in snake_case. */
export function faultFromWire(body: JsonObject): FaultSeed {
  const { scope, times, period_ms: periodMs, probability, ...fault } = body;
  const kind = textFromWire(body, 'kind');
  if (!isFaultKind(kind)) throw new Error(`There is no fault of kind "${kind}".`);
  const camelCase = Object.fromEntries(
    Object.entries(fault).map(([key, value]) => [
      key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
  checkFaultMembers(camelCase);
  return {
    fault: camelCase as unknown as Fault,
    scope: scopeFromWire(asObject(scope) ?? {}),
    ...present<FaultSeed>({
      times: numberOf(times),
      periodMs: numberOf(periodMs),
      probability: numberOf(probability),
    }),
  };
}

const requiredFaultMembers: Record<string, readonly string[]> = {
  error: ['code'],
  http: ['httpStatus'],
  slow: ['delayMs'],
  fail: ['code'],
  webhook_late: ['delayMs'],
  webhook_duplicated: ['copies'],
  held: ['delayMs'],
};

function checkFaultMembers(fault: JsonObject): void {
  for (const key of requiredFaultMembers[String(fault.kind)] ?? []) {
    if (typeof fault[key] !== 'number') throw new Error(`A fault of kind "${String(fault.kind)}" needs "${key}".`);
  }
}

function scopeFromWire(scope: JsonObject): FaultScope {
  return present<FaultScope>({
    endpoint: asString(scope.endpoint) as EndpointKind | undefined,
    wabaId: asString(scope.waba_id),
    phoneNumberId: asString(scope.phone_number_id),
    recipient: asString(scope.recipient)?.replace(/\D/g, ''),
  });
}

export function faultToWire(rule: FaultRule): JsonObject {
  return {
    id: rule.id,
    fault: rule.fault,
    scope: rule.scope,
    times_left: rule.timesLeft,
    until_ms: rule.untilMs,
    probability: rule.probability,
    hits: rule.hits,
  };
}

/** Reads settings in snake_case; ignores unknown members. */
export function settingsFromWire(body: JsonObject, current: PlatformSettings): Partial<PlatformSettings> {
  const latency = asObject(body.status_latency_ms);
  return present<PlatformSettings>({
    limits: body.limits === 'off' || body.limits === 'strict' ? body.limits : undefined,
    serviceWindow: body.service_window === 'off' || body.service_window === 'strict' ? body.service_window : undefined,
    webhookVersion: body.webhook_version === 'v23' || body.webhook_version === 'v24' ? body.webhook_version : undefined,
    freeServiceMessages: numberOf(body.free_service_messages),
    absentPhones: body.absent_phones === 'omitted' || body.absent_phones === 'empty' ? body.absent_phones : undefined,
    refuseUnknownFields: booleanOf(body.refuse_unknown_fields),
    requireAppSecret: booleanOf(body.require_app_secret),
    templateReviewMs: numberOf(body.template_review_ms),
    appFields:
      body.app_fields === null ? null : Array.isArray(body.app_fields) ? body.app_fields.map(String) : undefined,
    isAppActive: booleanOf(body.app_active),
    statusLatencyMs: latency === undefined ? undefined : { ...current.statusLatencyMs, ...latency },
  });
}

export function settingsToWire(settings: PlatformSettings): JsonObject {
  return {
    webhook_url: settings.webhookUrl,
    limits: settings.limits,
    service_window: settings.serviceWindow,
    webhook_version: settings.webhookVersion,
    free_service_messages: settings.freeServiceMessages,
    absent_phones: settings.absentPhones,
    refuse_unknown_fields: settings.refuseUnknownFields,
    require_app_secret: settings.requireAppSecret,
    template_review_ms: settings.templateReviewMs,
    app_fields: settings.appFields,
    app_active: settings.isAppActive,
    status_latency_ms: settings.statusLatencyMs,
  };
}

/** Renders a send with its body as base64 and its arrival in nanoseconds as a decimal string. */
export function sendToWire(record: SendRecord): JsonObject {
  return {
    sequence: record.sequence,
    arrived_ns: String(record.arrivedNs),
    arrived_at: record.arrivedAt,
    phone_number_id: record.phoneNumberId,
    url: record.url,
    headers: withoutToken(record.headers),
    body_base64: record.body.toString('base64'),
    body_bytes: record.bodyBytes,
    road: record.road,
    body_sha256: record.bodySha256,
    to: record.to,
    wa_id: record.waId,
    type: record.type,
    biz_opaque_callback_data: record.callbackData,
    outcome: outcomeToWire(record),
    fault: record.fault,
  };
}

function outcomeToWire({ outcome }: SendRecord): JsonObject {
  if (outcome.kind !== 'rejected') return { ...outcome };
  return { kind: 'rejected', http_status: outcome.httpStatus, code: outcome.code };
}

function withoutToken(headers: SendRecord['headers']): JsonObject {
  return { ...headers, ...(headers.authorization === undefined ? {} : { authorization: 'redacted' }) };
}

export function violationToWire(violation: Violation): JsonObject {
  return {
    kind: violation.kind,
    phone_number_id: violation.phoneNumberId,
    recipient: violation.recipient,
    at: violation.at,
    arrived_ns: String(violation.arrivedNs),
    limit: violation.limit,
    retry_after_ms: violation.retryAfterMs,
  };
}

export function deliveryToWire(delivery: WebhookDelivery | null): JsonObject | null {
  if (delivery === null) return null;
  return {
    sequence: delivery.sequence,
    url: delivery.url,
    outcome: delivery.outcome,
    http_status: delivery.httpStatus,
    attempts: delivery.attempts,
    latency_ms: delivery.latencyMs,
    signature: delivery.signature,
    body: delivery.body.toString('latin1'),
  };
}
