export { REQUIRED_FIELDS } from './checks/platform.ts';
export { doctorRoutes } from './routes.ts';
