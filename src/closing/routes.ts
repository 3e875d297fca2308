import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { adminErrors, errorSchema } from '../http/index.ts';
import { type CloseDeps, closeOrganization } from './close-organization.ts';

const closeOrganizationSchema = {
  operationId: 'closeOrganization',
  summary: 'Close an organization',
  description:
    'Its API keys are refused, its business accounts disconnected, its webhook endpoints disabled; usage and history stay until ' +
    'retention drops them. Once more closes what was left, or has been made since.',
  tags: ['Organizations'],
  params: Type.Object({ org_id: Type.String({ format: 'uuid' }) }),
  response: {
    ...adminErrors,
    204: Type.Null({ description: 'Closed.' }),
    404: errorSchema('No such organization.', 'NOT_FOUND'),
  },
};

/** Registers `DELETE /admin/v1/organizations/{org_id}`. */
export function closingRoutes(app: FastifyInstance, deps: CloseDeps): void {
  app.delete<{ Params: { org_id: string } }>(
    '/admin/v1/organizations/:org_id',
    { schema: closeOrganizationSchema },
    async (request, reply) => {
      await closeOrganization(deps, request.params.org_id);
      return reply.code(204).send();
    },
  );
}
