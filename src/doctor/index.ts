export { REQUIRED_FIELDS } from './checks/apps.ts';
export { doctorRoutes } from './routes.ts';
