import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Api } from '../../api/api.ts';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { act, addCommand } from '../command.ts';
import { tenantPath } from '../tenants/tenant.ts';
import { readWabaToken } from '../wabas/read-token.ts';
import { lineOf, type Onboarding, renderSteps, type Step } from './onboarding.ts';

interface OnboardOptions {
  link?: boolean;
  app?: string;
  to?: string;
  waba?: string;
  number?: string;
  template?: string;
  language: string;
}

interface SetupLink {
  id: string;
  url: string;
  expires_at: string;
  onboarding_id: string | null;
}

/** Delay between two looks, in ms. */
const LOOK_MS = 500;

export function registerOnboard(program: Command): void {
  addCommand(
    program,
    'onboard <tenant>',
    'connect an account, from its token or a set-up link to a delivered message',
    [
      'fairway onboard 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --to +15550783881 < token.txt',
      'fairway onboard 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --to +15550783881 --link',
    ],
  )
    .option('--link', 'print a set-up link for a person of the tenant, and follow what happens by it')
    .option('--app <id>', 'the Meta app; without it, that of the environment or of the token')
    .option('--to <number>', 'recipient of the test message; without it, none is sent')
    .option('--waba <id>', 'the business account, if the token reaches several')
    .option('--number <id>', 'the number, if the account has several')
    .option('--template <name>', 'template of the test message')
    .option('--language <code>', 'language of the template', 'en_US')
    .action(act(onboard));
}

async function onboard(cli: Cli, tenantId: string, options: OnboardOptions): Promise<void> {
  const api = await cli.operator();
  const root = tenantPath(tenantId);
  const { app, to, template, language } = options;
  const given = {
    ...(app !== undefined && { app_id: app }),
    ...(to !== undefined && { test_recipient: to }),
    ...(template !== undefined && { template: { name: template, language } }),
  };
  const begun =
    options.link === true
      ? await byLink(cli, api, root, given)
      : await api.post<Onboarding>(`${root}/onboardings`, {
          access_token: await readWabaToken(cli),
          ...(options.waba !== undefined && { waba_id: options.waba }),
          ...(options.number !== undefined && { phone_number_id: options.number }),
          ...given,
        });
  // A person with a link repeats what failed on the page.
  const ended = await follow(cli, api, `${root}/onboardings/${begun.id}`, options.link === true);
  await cli.out.result(ended, () => renderSteps(ended));
  if (ended.state !== 'done') throw new CliError(EXIT.unmet, 'The onboarding needs a person. Follow the advice above.');
}

/** Prints a set-up link, and waits until a person has used it. */
async function byLink(cli: Cli, api: Api, root: string, given: object): Promise<{ id: string }> {
  const link = await api.post<SetupLink>(`${root}/setup-links`, given);
  cli.out.note(`Send this link to a person of the tenant. It works until ${link.expires_at}:\n${link.url}`);
  for (;;) {
    const { data } = await api.get<{ data: SetupLink[] }>(`${root}/setup-links`);
    const id = data.find((one) => one.id === link.id)?.onboarding_id;
    if (id) return { id };
    await pause(LOOK_MS, undefined, { signal: cli.signal });
  }
}

/** Prints each step as it changes, until the onboarding rests. */
async function follow(cli: Cli, api: Api, path: string, untilDone: boolean): Promise<Onboarding> {
  const shown = new Map<Step['step'], string>();
  for (;;) {
    const view = await api.get<Onboarding>(path);
    for (const step of view.steps) {
      const line = lineOf(step);
      if (step.at === null || shown.get(step.step) === line) continue;
      shown.set(step.step, line);
      cli.out.note(line);
    }
    const rests = untilDone ? ['done', 'ended'].includes(view.state) : view.state !== 'running';
    if (rests) return view;
    await pause(LOOK_MS, undefined, { signal: cli.signal });
  }
}
