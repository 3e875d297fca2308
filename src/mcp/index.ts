export { type Gateway, GatewayError } from './gateway.ts';
export { serveMcp } from './serve-mcp.ts';
