export { blankMessages, deleteMessageEvents } from './content-queries.ts';
export { ErasedMessages } from './erased-messages.ts';
export { Erasures } from './erasures.ts';
export { erasureRoutes } from './routes.ts';
