import type { Command } from 'commander';
import { addGroup } from './command.ts';
import { registerCompletion } from './completion/completion.ts';
import { registerEventsList } from './events/list.ts';
import { registerEventsTail } from './events/tail.ts';
import { registerMigrate } from './gateway/migrate.ts';
import { registerServe } from './gateway/serve.ts';
import { registerSimulate } from './gateway/simulate.ts';
import { registerImport } from './import/import.ts';
import { registerListen } from './listen/listen.ts';
import { registerMcp } from './mcp/mcp.ts';
import { registerMessagesList } from './messages/list.ts';
import { registerMessagesShow } from './messages/show.ts';
import { registerMessagesWatch } from './messages/watch.ts';
import { registerLogin } from './profiles/login.ts';
import { registerLogout } from './profiles/logout.ts';
import { registerProfiles } from './profiles/profiles.ts';
import { registerOperatorCommands } from './register-operator-commands.ts';
import { registerSend } from './send/send.ts';
import { registerStatus } from './status/status.ts';

/** Registers every command, in the order of the help. */
export function registerCommands(program: Command): void {
  program.commandsGroup('Gateway:');
  registerServe(program);
  registerMigrate(program);
  registerSimulate(program);
  program.commandsGroup('Connect:');
  registerLogin(program);
  registerLogout(program);
  registerProfiles(program);
  registerStatus(program);
  program.commandsGroup('Messages:');
  registerSend(program);
  registerImport(program);
  const messages = addGroup(program, 'messages', 'find and follow messages');
  registerMessagesList(messages);
  registerMessagesShow(messages);
  registerMessagesWatch(messages);
  registerOperatorCommands(program);
  program.commandsGroup('Events:');
  const events = addGroup(program, 'events', 'read the events that webhooks deliver');
  registerEventsList(events);
  registerEventsTail(events);
  registerListen(program);
  program.commandsGroup('Other:');
  registerMcp(program);
  registerCompletion(program);
}
