import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { safeJson } from '../../terminal/safe-text.ts';
import { act, addCommand } from '../command.ts';

/** A page of the data that is stored about a person. */
interface PersonPage {
  phone_numbers: string[];
  user_ids: string[];
  windows: unknown[];
  messages: unknown[];
  next: string | null;
}

export function registerPeopleExport(people: Command): void {
  addCommand(people, 'export <person>', 'write all data stored about a person to standard output, as JSON', [
    'fairway people export +12025550123 > person.json',
  ]).action(act(exportPerson));
}

async function exportPerson(cli: Cli, person: string): Promise<void> {
  const api = await cli.tenant();
  const path = `/v1/people/${encodeURIComponent(person)}/data`;
  let page = await api.get<PersonPage>(path);
  const { phone_numbers, user_ids, windows } = page;
  const messages = [...page.messages];
  while (page.next !== null) {
    page = await api.get<PersonPage>(path, { after: page.next });
    messages.push(...page.messages);
  }
  const data = { phone_numbers, user_ids, windows, messages };
  await cli.out.result(data, () => safeJson(data, 2));
}
