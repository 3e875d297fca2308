import { MESSAGE_TOOLS } from './message-tools.ts';
import { NUMBER_TOOLS } from './number-tools.ts';
import { sendTool } from './send-tool.ts';
import { TEMPLATE_TOOLS } from './template-tools.ts';
import type { Tool } from './tool.ts';
import { getUsage } from './usage-tool.ts';
import { WEBHOOK_TOOLS } from './webhook-tools.ts';

/** Returns all tools, in the order in which clients list them. */
export function listTools(options: { allowSend: boolean }): Tool[] {
  return [
    ...MESSAGE_TOOLS,
    ...TEMPLATE_TOOLS,
    sendTool(options.allowSend),
    ...NUMBER_TOOLS,
    ...WEBHOOK_TOOLS,
    getUsage,
  ];
}
