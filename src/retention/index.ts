export { removePast } from './remove-past.ts';
export { SentBodies } from './sent-bodies.ts';
