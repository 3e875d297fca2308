import type { FastifyInstance } from 'fastify';
import { type Query, readMatching, readText } from '../http/index.ts';
import { type FixDeps, fixFindings } from './fix-findings.ts';
import { CHECKS, type Finding, runChecks } from './run-checks.ts';
import { doctorSchema, fixSchema } from './schemas.ts';

const CHECK_IDS = new RegExp(`^(?:${CHECKS.map(({ id }) => id).join('|')})$`);

/** Registers `GET /admin/v1/doctor` and `POST /admin/v1/doctor/fixes`. */
export function doctorRoutes(app: FastifyInstance, deps: FixDeps): void {
  app.get<{ Querystring: Query }>('/admin/v1/doctor', { schema: doctorSchema }, async ({ query }) => {
    const findings = await runChecks(deps, readSelection(query));
    return { findings: findings.map(renderFinding) };
  });
  app.post<{ Querystring: Query }>('/admin/v1/doctor/fixes', { schema: fixSchema }, async ({ query }) => {
    const fixes = await fixFindings(deps, readSelection(query));
    return {
      fixes: fixes.map(({ check, subject, isDone, message }) => ({ id: check, subject, done: isDone, message })),
    };
  });
}

function readSelection(query: Query) {
  return {
    organizationId: readText(query, 'organization_id'),
    wabaId: readMatching(query, 'waba_id', /^\w{1,64}$/, "the upstream's id of a business account"),
    check: readMatching(query, 'check', CHECK_IDS, 'the id of a check'),
  };
}

function renderFinding({ check, subject, organizationId, status, message, advice, isFixable }: Finding) {
  return {
    id: check,
    subject,
    organization_id: organizationId ?? null,
    status,
    message,
    advice: advice ?? null,
    doc: `docs/doctor.md#${check}`,
    fixable: isFixable === true,
  };
}
