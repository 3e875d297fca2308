export { linkRoutes } from './links/routes.ts';
export { createAppOf } from './onboarding-app.ts';
export { Onboardings } from './onboardings.ts';
export { setupRoutes } from './page/routes.ts';
export { endOnboardingsOf, releaseApp, sweepOnboardings } from './queries.ts';
export { resealOnboardingSecrets } from './reseal-secrets.ts';
export { onboardingRoutes } from './routes.ts';
