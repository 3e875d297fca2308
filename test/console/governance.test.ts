import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createOperator } from '../harness/operator.ts';
import { call, freshRecipient, pause, readMessage, resume, sendTemplate, until } from '../harness/tenant.ts';
import { skipWithoutBrowser } from './open-console.ts';
import { useConsole } from './use-console.ts';

describe('audit log, opt-outs, operators and people in the console', { skip: skipWithoutBrowser }, () => {
  const { gateway, world, visit } = useConsole();

  async function download(page: Page, button: string): Promise<string> {
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: button }).click();
    return readFileSync(await (await file).path(), 'utf8');
  }

  it('audit log: a change with its actor and difference, filters, a verified chain, a file', async () => {
    const { tenant } = world;
    const operator = await createOperator(gateway, 'operator');
    await pause(gateway, tenant);
    await resume(gateway, tenant);
    await visit(gateway.adminToken, `/audit?org=${tenant.organizationId}`, async (page) => {
      await page.getByRole('button', { name: 'Check the digests' }).click();
      await page.getByText(/verified: \d+ rows/).waitFor();
      const row = page.getByRole('row').filter({ hasText: 'updateNumber' }).first();
      await row.getByRole('button', { name: 'Show' }).click();
      const change = page.getByRole('dialog').getByRole('row').filter({ hasText: 'paused' });
      assert.deepEqual(await change.getByRole('cell').allInnerTexts(), ['paused', 'true', 'false']);
      await page.keyboard.press('Escape');
      await row.getByTitle('Only this object').click();
      await page.waitForURL(`**object=${tenant.phoneNumberId}`);
      await page.getByRole('row').filter({ hasText: 'createWebhook' }).waitFor({ state: 'detached' });
      const lines = (await download(page, 'Export as NDJSON')).trimEnd().split('\n');
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).operation),
        ['updateNumber', 'updateNumber'],
      );
      await page.getByRole('button', { name: 'Clear all filters' }).click();
      await page.getByRole('row').filter({ hasText: 'createWebhook' }).first().waitFor();
      await page.getByText('the deployment', { exact: true }).last().click();
      await page.getByRole('row').filter({ hasText: operator.id }).waitFor();
    });
  });

  it('audit log of a tenant: its own changes, those of operators without a name', async () => {
    const { tenant, other } = world;
    await visit(other.apiKey, `/audit?org=${tenant.organizationId}`, async (page) => {
      await page.getByText(/Chain of Northwind Bikes/).waitFor();
      const row = page.getByRole('row').filter({ hasText: other.phoneNumberId }).first();
      await row.getByText('an operator').waitFor();
      assert.equal(await page.getByRole('row').filter({ hasText: tenant.phoneNumberId }).count(), 0);
    });
  });

  it('opt-outs: added, listed for the own tenant only, lifted', async () => {
    const { tenant, other } = world;
    const person = freshRecipient();
    await visit(tenant.apiKey, '/opt-outs', async (page) => {
      await page.getByRole('row').filter({ hasText: 'added by a call or here' }).waitFor();
      await page.getByRole('button', { name: 'Add an opt-out' }).click();
      await page.getByRole('dialog').getByLabel('Person').fill(person);
      await page.getByRole('dialog').getByRole('button', { name: 'Add an opt-out' }).click();
      await page.getByRole('row').filter({ hasText: person }).waitFor();
    });
    await visit(other.apiKey, '/opt-outs', async (page) => {
      await page.getByRole('heading', { name: 'No opt-outs' }).waitFor();
    });
    await visit(gateway.adminToken, `/opt-outs?org=${tenant.organizationId}`, async (page) => {
      await page.getByRole('row').filter({ hasText: person }).getByRole('button', { name: 'Lift' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Lift' }).click();
      await page.getByRole('row').filter({ hasText: person }).waitFor({ state: 'detached' });
    });
    const left = await call(gateway, tenant, 'GET', `/v1/opt-outs?person=${person.slice(1)}`);
    assert.deepEqual(left.json.data, []);
  });

  it('operators: created with a token that signs in, changed, given a new token, revoked', async () => {
    const tokens: string[] = [];
    const signsIn = async (token: string) => (await call(gateway, { apiKey: token }, 'GET', '/admin/v1/me')).json;
    await visit(gateway.adminToken, '/operators', async (page) => {
      const dialog = page.getByRole('dialog');
      const shownToken = async () => (await dialog.getByText(/^fw_op_/).textContent()) ?? '';
      await page.getByRole('button', { name: 'New operator' }).click();
      await dialog.getByLabel('Name').fill('Grace Hopper');
      await dialog.getByRole('radio', { name: 'Support (reads only)' }).check();
      await dialog.getByLabel('Expires (empty: never)').fill('2099-01-01T00:00');
      await dialog.getByRole('button', { name: 'Create' }).click();
      tokens.push(await shownToken());
      const created = await signsIn(tokens[0] ?? '');
      assert.deepEqual([created.role, created.expires_at], ['support', '2099-01-01T00:00:00.000Z']);
      await page.keyboard.press('Escape');
      const row = page.getByRole('row').filter({ hasText: 'Grace Hopper' });
      await row.getByRole('button', { name: 'Change' }).click();
      await dialog.getByRole('radio', { name: 'Operator' }).check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await row.getByRole('cell', { name: 'Operator', exact: true }).waitFor();
      await row.getByRole('button', { name: 'New token' }).click();
      await dialog.getByRole('button', { name: 'New token' }).click();
      tokens.push(await shownToken());
      assert.equal((await signsIn(tokens[1] ?? '')).role, 'operator');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await row.getByRole('button', { name: 'Revoke' }).click();
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await row.getByText('revoked').waitFor();
    });
    for (const token of tokens) assert.equal((await signsIn(token)).code, 'UNAUTHORIZED');
  });

  it('operators and the log: neither in the menu of an operator, nor behind the address', async () => {
    const { token } = await createOperator(gateway, 'operator');
    await visit(token, '/operators', async (page) => {
      await page.getByRole('heading', { level: 1, name: 'This page is not for you' }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'New operator' }).count(), 0);
      assert.equal(await page.getByRole('link', { name: 'Operators' }).count(), 0);
    });
  });

  it('people: exported as a file, erased after the person is typed again, with a receipt', async () => {
    const { tenant, other } = world;
    const person = freshRecipient();
    const id = await sendTemplate(gateway, tenant, person);
    const ofOther = await sendTemplate(gateway, other, person);
    await until('it was sent', async () =>
      (await readMessage(gateway, tenant, id)).status === 'queued' ? undefined : true,
    );
    await visit(tenant.apiKey, '/people', async (page) => {
      await page.getByLabel('Phone number or user id').fill(person);
      await page.keyboard.press('Enter');
      await page.getByRole('region', { name: 'Stored data' }).getByRole('link', { name: '1', exact: true }).waitFor();
      const data = JSON.parse(await download(page, 'Export as JSON'));
      assert.deepEqual(
        data.messages.map((message: { id: string }) => message.id),
        [id],
      );
      await page.getByRole('button', { name: 'Erase this person…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Messages to the person that wait are cancelled.').waitFor();
      const erase = dialog.getByRole('button', { name: 'Erase', exact: true });
      assert.equal(await erase.isDisabled(), true);
      await dialog.getByLabel('Type the person again to confirm').fill(person);
      await erase.click();
      const receipt = page.getByRole('region', { name: 'Receipt of the erasure' });
      await receipt.getByText('The data has been removed.').waitFor({ timeout: 60_000 });
      assert.doesNotMatch(page.url(), /person=/);
    });
    assert.equal((await readMessage(gateway, tenant, id)).recipient_phone ?? null, null);
    assert.equal((await readMessage(gateway, other, ofOther)).recipient_phone, person.slice(1));
  });

  it('support: neither opt-outs nor the data of people, whatever the address says', async () => {
    const { token } = await createOperator(gateway, 'support');
    const org = `org=${world.tenant.organizationId}`;
    for (const path of [`/opt-outs?${org}`, `/people?${org}&person=15550100001`, `/audit?${org}`]) {
      await visit(token, path, async (page) => {
        await page.getByRole('heading', { level: 1, name: 'This page is not for you' }).waitFor();
        assert.equal(await page.getByRole('button', { name: /^(?:Lift|Add an opt-out|Erase.*)$/ }).count(), 0);
      });
    }
  });
});
