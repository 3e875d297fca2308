import type { Command } from 'commander';
import { addGroup } from '../command.ts';
import { registerTriggerCall } from './call.ts';
import { registerTriggerChange } from './change.ts';
import { registerTriggerEcho } from './echo.ts';
import { registerTriggerFault, registerTriggerRecover } from './fault.ts';
import { registerTriggerMessage } from './message.ts';
import { registerTriggerTemplate } from './template.ts';

/** Registers the commands that make the simulator act as people and the platform do. */
export function registerTriggerCommands(program: Command): void {
  const trigger = addGroup(program, 'trigger', 'let the simulator do what people and the platform do');
  registerTriggerMessage(trigger);
  registerTriggerCall(trigger);
  registerTriggerEcho(trigger);
  registerTriggerTemplate(trigger);
  registerTriggerChange(trigger);
  registerTriggerFault(trigger);
  registerTriggerRecover(trigger);
}
