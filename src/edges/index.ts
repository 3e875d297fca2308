export { createEdges, type Edges } from './edges.ts';
export { ownedObjectFollower } from './owners/follow-owned-objects.ts';
export { sweepOwnedObjects } from './owners/queries.ts';
export { clientCallOf, edgeRoutes, nodePasser, type PassNode, sendPassed } from './routes.ts';
export { passedAnswer, platformRefusal, withPassedAnswers } from './schemas.ts';
export { EDGE_ROUTES } from './table/edge-table.ts';
export { uploadIdIn } from './uploads/upload-id.ts';
export type { Uploads } from './uploads/uploads.ts';
