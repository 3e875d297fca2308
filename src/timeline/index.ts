export { timelineRoutes } from './routes.ts';
export type { TimelineEntry } from './timeline-entry.ts';
