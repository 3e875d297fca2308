export { conversationId, writerOf } from './conversation-id.ts';
export { findContactCards, type Inbound, recordInbound } from './queries.ts';
export { sweepWindows } from './sweep-windows.ts';
export { createWindows, type Windows } from './windows.ts';
