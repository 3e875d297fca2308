import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { adminErrors, errorSchema } from '../http/index.ts';
import { type CloseDeps, closeOrganization } from './close-organization.ts';

const closeOrganizationSchema = {
  operationId: 'closeOrganization',
  summary: 'Close an organization',
  description:
    'Disables its API keys, disconnects its business accounts and disables its webhook endpoints. Usage and ' +
    'history stay until their retention ends. A repeated call closes anything left over or created since.',
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
