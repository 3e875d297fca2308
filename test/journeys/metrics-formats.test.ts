import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { useGateway } from '../harness/fixtures.ts';
import { runPromtool } from '../harness/promtool.ts';
import { createTenant, freshRecipient, sendTemplate, untilStatus } from '../harness/tenant.ts';

describe('metrics', () => {
  const gateway = useGateway();
  before(async () => {
    gateway.app.metrics.includeProcess();
    const tenant = await createTenant(gateway);
    await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, freshRecipient()), 'read');
  });

  async function read(accept?: string): Promise<{ type: string; text: string }> {
    const headers = { authorization: `Bearer ${gateway.adminToken}`, ...(accept !== undefined && { accept }) };
    const response = await fetch(`${gateway.baseUrl}/metrics`, { headers });
    assert.equal(response.status, 200);
    return { type: response.headers.get('content-type') ?? '', text: await response.text() };
  }

  it('asked for OpenMetrics: in that format, also beside readers of the other one', async () => {
    const asked = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
    const answers = await Promise.all([read(), read(asked), read(), read(asked)]);
    for (const [index, { type, text }] of answers.entries()) {
      const isOpen = index % 2 === 1;
      assert.match(type, isOpen ? /^application\/openmetrics-text; version=1\.0\.0/ : /^text\/plain; version=0\.0\.4/);
      assert.equal(text.endsWith('# EOF\n'), isOpen);
      assert.match(
        text,
        isOpen ? /^# TYPE fairway_delivery_attempts counter$/m : /^# TYPE fairway_delivery_attempts_total counter$/m,
      );
      assert.match(text, /^fairway_delivery_attempts_total\{/m);
    }
  });

  it('promtool check metrics: no complaint', async (t) => {
    const { text } = await read();
    const checked = await runPromtool(t, ['check', 'metrics'], { input: text });
    if (checked !== null) assert.deepEqual(checked, { code: 0, output: '' });
  });
});
