export { Erasures } from './erasures.ts';
export { erasureRoutes } from './routes.ts';
