export { doctorRoutes } from './routes.ts';
