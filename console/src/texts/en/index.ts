import { accounts } from './accounts.ts';
import { apps } from './apps.ts';
import { governance } from './governance.ts';
import { messages } from './messages.ts';
import { queue } from './queue.ts';
import { shell } from './shell.ts';
import { templates } from './templates.ts';
import { tenants } from './tenants.ts';
import { tools } from './tools.ts';
import { webhooks } from './webhooks.ts';

export const en = { shell, messages, queue, accounts, webhooks, templates, tenants, tools, governance, apps };

/** The texts of the pages; every language has all of them. */
export type Texts = typeof en;
