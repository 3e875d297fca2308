export { consoleRoutes } from './routes.ts';
export { createSessions, type Sessions } from './sessions.ts';
export { SignInLinks } from './sign-in-links.ts';
