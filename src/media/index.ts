export { type FindDeps, findMedia } from './find-media.ts';
export { findMediaRefusal } from './find-media-refusal.ts';
export { createMedia, type Media } from './media.ts';
export { isWord, listMediaIds } from './media-references.ts';
export { rememberReceivedMedia } from './remember-received-media.ts';
export { mediaRoutes } from './routes.ts';
export { sweepMedia } from './sweep-media.ts';
