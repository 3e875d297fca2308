export { cancelMessage, cancelMessages } from './cancel-messages.ts';
export { cancellationRoutes } from './routes.ts';
