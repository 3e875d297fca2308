export { consoleRoutes } from './routes.ts';
export { createSessions } from './sessions.ts';
export { SignInLinks } from './sign-in-links.ts';
