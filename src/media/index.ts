export { createMedia, type Media } from './media.ts';
export { type FindDeps, findMedia } from './objects/find-media.ts';
export { findMediaRefusal } from './objects/find-media-refusal.ts';
export { isWord, listMediaIds } from './objects/media-references.ts';
export { rememberReceivedMedia } from './objects/remember-received-media.ts';
export { sweepMedia } from './objects/sweep-media.ts';
export { mediaRoutes } from './routes.ts';
