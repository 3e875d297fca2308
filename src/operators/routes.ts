import type { FastifyInstance } from 'fastify';
import { invalid } from '../core/errors.ts';
import { isUuid } from '../core/ids.ts';
import {
  momentOf,
  operatorOf,
  type Query,
  readInteger,
  readJsonBody,
  readOptionalJsonBody,
  readText,
} from '../http/index.ts';
import {
  changeOperator,
  createOperator,
  getOperator,
  type OperatorDeps,
  revokeOperator,
  rotateToken,
} from './change-operators.ts';
import { listOperators, type NamedOperator } from './queries.ts';
import {
  changeOperatorSchema,
  createOperatorSchema,
  getOperatorSchema,
  listOperatorsSchema,
  OPERATORS_PER_PAGE_MAX,
  operatorBody,
  operatorPatchBody,
  revokeOperatorSchema,
  rotateOperatorSchema,
  rotateTokenBody,
  whoAmISchema,
} from './schemas.ts';

interface OfOperator {
  Params: { id: string };
}

/** Registers operators and their tokens under `/admin/v1`. */
export function operatorRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  app.get('/admin/v1/me', { schema: whoAmISchema }, async (request) => {
    const { id, name, role, expiresAt } = operatorOf(request);
    return { id, name, role, expires_at: timeOf(expiresAt) };
  });

  app.post('/admin/v1/operators', { schema: createOperatorSchema }, async (request, reply) => {
    const { name, role, expires_at } = readJsonBody(request, operatorBody);
    const expiresAt = readExpiry(expires_at) ?? null;
    const created = await createOperator(deps, { name, role, expiresAt });
    return reply
      .code(201)
      .header('cache-control', 'no-store')
      .send({ ...renderOperator(created), token: created.token });
  });

  app.get<{ Querystring: Query }>('/admin/v1/operators', { schema: listOperatorsSchema }, async ({ query }) => {
    const limit = readInteger(query, 'limit', { min: 1, max: OPERATORS_PER_PAGE_MAX, fallback: 50 });
    const before = readText(query, 'after');
    if (before !== undefined && !isUuid(before)) throw invalid('"after" must be the "next" of an earlier answer.');
    const page = await listOperators(deps.db, before, limit);
    return { data: page.map(renderOperator), next: page.length < limit ? null : (page.at(-1)?.id ?? null) };
  });

  app.get<OfOperator>('/admin/v1/operators/:id', { schema: getOperatorSchema }, async ({ params }) =>
    renderOperator(await getOperator(deps, params.id)),
  );

  app.patch<OfOperator>('/admin/v1/operators/:id', { schema: changeOperatorSchema }, async (request) => {
    const { name, role, expires_at } = readJsonBody(request, operatorPatchBody);
    const expiresAt = readExpiry(expires_at);
    return renderOperator(await changeOperator(deps, request.params.id, { name, role, expiresAt }));
  });

  app.post<OfOperator>('/admin/v1/operators/:id/rotate', { schema: rotateOperatorSchema }, async (request, reply) => {
    const { overlap_seconds = 0 } = readOptionalJsonBody(request, rotateTokenBody) ?? {};
    const rotated = await rotateToken(deps, request.params.id, overlap_seconds * 1000);
    return reply.header('cache-control', 'no-store').send({ ...renderOperator(rotated), token: rotated.token });
  });

  app.delete<OfOperator>('/admin/v1/operators/:id', { schema: revokeOperatorSchema }, async (request, reply) => {
    await revokeOperator(deps, request.params.id);
    return reply.code(204).send();
  });
}

function readExpiry(text: string | null | undefined): Date | null | undefined {
  return typeof text === 'string' ? new Date(momentOf('expires_at', text)) : text;
}

function renderOperator(operator: NamedOperator) {
  return {
    id: operator.id,
    name: operator.name,
    role: operator.role,
    hint: operator.hint,
    identity: operator.identity,
    created_at: operator.createdAt.toISOString(),
    expires_at: timeOf(operator.expiresAt),
    revoked_at: timeOf(operator.revokedAt),
    previous_until: timeOf(operator.previousUntil),
    last_used_at: timeOf(operator.lastUsedAt),
  };
}

function timeOf(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
