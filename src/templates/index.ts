export { followTemplateChanges } from './follow-template-changes.ts';
export { findTemplateNode } from './get-template.ts';
export { noteTemplateRefused } from './note-template-refused.ts';
export { listTemplateIds, replaceTemplates } from './queries.ts';
export { ReviewPoll } from './review-poll.ts';
export { templateRoutes } from './routes.ts';
export { graphTemplate } from './schemas.ts';
export { chooseTemplate, type TemplateChoice, type TemplateVersion } from './template-choice.ts';
export { createTemplates, type Templates } from './templates.ts';
