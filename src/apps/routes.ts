import type { FastifyInstance } from 'fastify';
import { readJsonBody } from '../http/index.ts';
import { type AppDeps, changeApp, createApp, deleteApp, getApp, type ReleaseApp } from './change-apps.ts';
import { type FurtherApp, listApps } from './queries.ts';
import {
  appBody,
  appPatchBody,
  createAppSchema,
  deleteAppSchema,
  getAppSchema,
  listAppsSchema,
  updateAppSchema,
} from './schemas.ts';

interface OfApp {
  Params: { app_id: string };
}

/** Registers the further Meta apps under `/admin/v1`. No answer has a secret. */
export function appRoutes(http: FastifyInstance, deps: AppDeps & { releaseApp: ReleaseApp }): void {
  http.post('/admin/v1/apps', { schema: createAppSchema }, async (request, reply) => {
    const { app_id, name, secrets, verify_token, secret_proof, signup_configuration_id } = readJsonBody(
      request,
      appBody,
    );
    const created = await createApp(deps, app_id, {
      name,
      secrets,
      verifyToken: verify_token,
      provesSecret: secret_proof ?? false,
      signupConfigurationId: signup_configuration_id ?? null,
    });
    return reply.code(201).send(renderApp(created));
  });

  http.get('/admin/v1/apps', { schema: listAppsSchema }, async () => ({
    default_app_id: deps.apps.defaultAppId,
    data: (await listApps(deps.db)).map(renderApp),
  }));

  http.get<OfApp>('/admin/v1/apps/:app_id', { schema: getAppSchema }, async ({ params }) =>
    renderApp(await getApp(deps, params.app_id)),
  );

  http.patch<OfApp>('/admin/v1/apps/:app_id', { schema: updateAppSchema }, async (request) => {
    const body = readJsonBody(request, appPatchBody);
    const change = {
      name: body.name,
      secrets: body.secrets,
      verifyToken: body.verify_token,
      provesSecret: body.secret_proof,
      signupConfigurationId: body.signup_configuration_id,
    };
    return renderApp(await changeApp(deps, request.params.app_id, change));
  });

  http.delete<OfApp>('/admin/v1/apps/:app_id', { schema: deleteAppSchema }, async ({ params }, reply) => {
    await deleteApp(deps, params.app_id);
    return reply.code(204).send();
  });
}

function renderApp(app: FurtherApp) {
  return {
    app_id: app.appId,
    name: app.name,
    secrets: app.secretCount,
    secret_proof: app.provesSecret,
    signup_configuration_id: app.signupConfigurationId,
    created_at: app.createdAt.toISOString(),
    secrets_changed_at: app.secretsChangedAt.toISOString(),
  };
}
