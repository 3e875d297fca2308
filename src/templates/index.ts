export { replaceTemplates } from './queries.ts';
export { chooseTemplate, type TemplateVersion } from './template-choice.ts';
export { createTemplates, type Templates } from './templates.ts';
