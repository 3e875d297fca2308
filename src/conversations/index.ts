export { conversationId, writerOf } from './conversation-id.ts';
export { noteClosingWindows } from './note-closing-windows.ts';
export { openWindows, type PersonKey, type WindowOpening } from './open-windows.ts';
export { findContactCards } from './queries.ts';
export { windowRoutes } from './routes.ts';
export { sweepWindows } from './sweep-windows.ts';
export { opensWindow, windowOpenUntilMs } from './window.ts';
export { createWindows, type Windows } from './windows.ts';
