export { IdentityProvider } from './oidc/identity-provider.ts';
export type { OidcSettings } from './oidc/oidc-settings.ts';
export { consoleRoutes } from './routes.ts';
export { createSessions } from './sessions.ts';
export { consoleLinkOf, SignInLinks } from './sign-in-links.ts';
