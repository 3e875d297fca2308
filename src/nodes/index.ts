export { nodeRoutes } from './routes.ts';
