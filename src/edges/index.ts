export { createEdges, type Edges } from './edges.ts';
export { ownedObjectFollower } from './owners/follow-owned-objects.ts';
export { sweepOwnedObjects } from './owners/queries.ts';
export { edgeRoutes, nodePasser, type PassNode } from './routes.ts';
export { withPassedAnswers } from './schemas.ts';
export { EDGE_ROUTES } from './table/edge-table.ts';
