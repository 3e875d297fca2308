export { replaceTemplates } from './queries.ts';
