export { linkRoutes } from './links/routes.ts';
export { Onboardings } from './onboardings.ts';
export { setupRoutes } from './page/routes.ts';
export { endOnboardingsOf, sweepOnboardings } from './queries.ts';
export { resealOnboardingSecrets } from './reseal-secrets.ts';
export { onboardingRoutes } from './routes.ts';
