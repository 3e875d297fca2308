export { createOperators, type Operators } from './operators.ts';
export { operatorRoutes } from './routes.ts';
