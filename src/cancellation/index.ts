export { cancelMessage, cancelMessages, cancelWaitingTo } from './cancel-messages.ts';
export { cancellationRoutes } from './routes.ts';
