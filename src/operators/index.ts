export { createOperators } from './operators.ts';
export { operatorRoutes } from './routes.ts';
