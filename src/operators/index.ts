export { admitIdentity, endSessionsOf, findIdentity } from './identities.ts';
export { createOperators } from './operators.ts';
export { operatorRoutes } from './routes.ts';
