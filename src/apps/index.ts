export { appSecretContext } from './app-secrets.ts';
export { type Apps, createApps, type MetaApp, type WebhookSecrets } from './apps.ts';
export { credentialsOf, findAppOfToken, refuseDeletedApp, storableApp } from './choose-app.ts';
export { resealAppSecrets } from './reseal-secrets.ts';
export { appRoutes } from './routes.ts';
