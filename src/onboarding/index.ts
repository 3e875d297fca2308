export { Onboardings } from './onboardings.ts';
export { sweepOnboardings } from './queries.ts';
export { resealOnboardingSecrets } from './reseal-secrets.ts';
export { onboardingRoutes } from './routes.ts';
