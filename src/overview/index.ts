export { reportNode } from './report-node.ts';
export { overviewRoutes } from './routes.ts';
