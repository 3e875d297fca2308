import type { Static, TObject } from 'typebox';
import type { Gateway } from './gateway.ts';

/** Hints for clients, which decide by them if a person must confirm a call. */
export interface Hints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  /** True if the result holds texts of people or of other systems. */
  openWorldHint: boolean;
}

/** The outcome of a call: one sentence without foreign text, and the data. */
export interface ToolResult {
  summary: string;
  data: Record<string, unknown>;
  /** True if the call did not do its task. */
  isError?: boolean;
}

export interface ToolContext {
  gateway: Gateway;
  /** True if `send_template` may send. */
  allowSend: boolean;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  input: TObject;
  output: TObject;
  hints: Hints;
  run(context: ToolContext, args: unknown): Promise<ToolResult>;
}

export const READS_OWN: Hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
export const READS_FOREIGN: Hints = { ...READS_OWN, openWorldHint: true };

/** Returns a tool whose arguments have the type of its schema. The server validates them before `run`. */
export function defineTool<Input extends TObject>(
  tool: Omit<Tool, 'input' | 'run'> & {
    input: Input;
    run(context: ToolContext, args: Static<Input>): Promise<ToolResult>;
  },
): Tool {
  return { ...tool, run: (context, args) => tool.run(context, args as Static<Input>) };
}
