import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { invalid } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import { momentOf, type Query, readInteger, readJsonBody, readOptionalJsonBody, readText } from '../../http/index.ts';
import { getOrganization } from '../get-organization.ts';
import { changeApiKey, disableApiKey, rotateApiKey } from './change-api-key.ts';
import { createApiKey } from './create-api-key.ts';
import { type ApiKey, type KeyChange, listApiKeys } from './key-queries.ts';
import {
  apiKeyBody,
  apiKeyPatchBody,
  changeApiKeySchema,
  createApiKeySchema,
  disableApiKeySchema,
  KEYS_PER_PAGE_MAX,
  listApiKeysSchema,
  rotateApiKeySchema,
  rotateKeyBody,
} from './schemas.ts';

const OVERLAP_SECONDS = 24 * 60 * 60;

interface OfOrganization {
  Params: { org_id: string };
}

interface OfKey {
  Params: { id: string };
}

/** Registers API keys under `/admin/v1`. */
export function keyRoutes(app: FastifyInstance, deps: { db: Database; clock: Clock }): void {
  app.post<OfOrganization>(
    '/admin/v1/organizations/:org_id/api-keys',
    { schema: createApiKeySchema },
    async (request, reply) => {
      const body = readOptionalJsonBody(request, apiKeyBody) ?? {};
      const { id, key, name, createdAt } = await createApiKey(deps, request.params.org_id, readKeyChange(body));
      const created = { id, key, name, created_at: createdAt.toISOString() };
      return reply.code(201).header('cache-control', 'no-store').send(created);
    },
  );

  app.get<OfOrganization & { Querystring: Query }>(
    '/admin/v1/organizations/:org_id/api-keys',
    { schema: listApiKeysSchema },
    async ({ params, query }) => {
      const limit = readInteger(query, 'limit', { min: 1, max: KEYS_PER_PAGE_MAX, fallback: KEYS_PER_PAGE_MAX });
      const before = readText(query, 'after');
      if (before !== undefined && !isUuid(before)) throw invalid('"after" must be the "next" of an earlier answer.');
      const organization = await getOrganization(deps, params.org_id);
      const page = await listApiKeys(deps.db, organization.id, before, limit);
      return { data: page.map(renderApiKey), next: page.length < limit ? null : (page.at(-1)?.id ?? null) };
    },
  );

  app.patch<OfKey>('/admin/v1/api-keys/:id', { schema: changeApiKeySchema }, async (request) => {
    const body = readJsonBody(request, apiKeyPatchBody);
    return renderApiKey(await changeApiKey(deps, request.params.id, readKeyChange(body)));
  });

  app.post<OfKey>('/admin/v1/api-keys/:id/rotate', { schema: rotateApiKeySchema }, async (request, reply) => {
    const { overlap_seconds = OVERLAP_SECONDS } = readOptionalJsonBody(request, rotateKeyBody) ?? {};
    const rotated = await rotateApiKey(deps, request.params.id, overlap_seconds * 1000);
    return reply.header('cache-control', 'no-store').send({ ...renderApiKey(rotated), key: rotated.key });
  });

  app.delete<OfKey>('/admin/v1/api-keys/:id', { schema: disableApiKeySchema }, async (request, reply) => {
    await disableApiKey(deps, request.params.id);
    return reply.code(204).send();
  });
}

function readKeyChange(body: Static<typeof apiKeyPatchBody>): KeyChange {
  const { expires_at } = body;
  return {
    name: body.name,
    scopes: body.scopes,
    phoneNumberIds: body.phone_number_ids,
    sourceRanges: body.source_ranges,
    messagesPerMinute: body.messages_per_minute,
    expiresAt: typeof expires_at === 'string' ? new Date(momentOf('expires_at', expires_at)) : expires_at,
  };
}

function renderApiKey(apiKey: ApiKey) {
  return {
    id: apiKey.id,
    name: apiKey.name,
    hint: apiKey.hint,
    scopes: apiKey.scopes,
    phone_number_ids: apiKey.phoneNumberIds,
    source_ranges: apiKey.sourceRanges,
    messages_per_minute: apiKey.messagesPerMinute,
    created_at: apiKey.createdAt.toISOString(),
    expires_at: timeOf(apiKey.expiresAt),
    disabled_at: timeOf(apiKey.disabledAt),
    previous_until: timeOf(apiKey.previousUntil),
    last_used_at: timeOf(apiKey.lastUsedAt),
  };
}

function timeOf(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
