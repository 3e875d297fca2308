export { conversationId } from './conversation-id.ts';
export { type ConversationKey, recordInbound } from './queries.ts';
export { WINDOW_MS } from './window.ts';
export { createWindows, type Windows } from './windows.ts';
