import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { untilEvent } from '../../harness/events.ts';
import { freshRecipient } from '../../harness/tenant.ts';

describeCommand('trigger message', (suite) => {
  it('a text → received by the tenant of the number, whose window opens', async () => {
    const person = freshRecipient();
    const { code, stdout, stderr } = await suite.run(['--from', person, 'Where is my order?']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^wamid +wamid\.\S+\nwebhook +delivered, answered 200$/m);
    const event = await untilEvent(
      suite.gateway,
      suite.tenant,
      'message.received',
      ({ data }) => data.message.type === 'text',
    );
    assert.equal(event.data.message.text.body, 'Where is my order?');
    assert.equal((await suite.fairway(['send', '--to', person, 'On its way'])).code, 0);
  });

  it('a type with contents and a hidden phone → received so', async () => {
    const content = '{"latitude": 52.5, "longitude": 13.4}';
    const args = ['--from', freshRecipient(), '--type', 'location', '--content', content, '--hide-phone', '--json'];
    const { wamid } = (await suite.run(args)).json;
    const event = await untilEvent(
      suite.gateway,
      suite.tenant,
      'message.received',
      ({ data }) => data.message.id === wamid,
    );
    assert.equal(event.data.message.location.latitude, 52.5);
  });

  it('a number that the simulator does not have, or contents that are no object → refused', async () => {
    const refused = await suite.run(['--from', freshRecipient(), '--number', '1', 'Hi']);
    assert.equal(refused.code, 3);
    assert.equal((await suite.run(['--from', freshRecipient(), '--content', '[]'])).code, 2);
  });

  it('no simulator known → exit code 2 and what to do', async () => {
    const { code, stderr } = await suite.run(['--from', freshRecipient()], {
      env: { FAIRWAY_SIMULATOR_URL: undefined },
    });
    assert.equal(code, 2);
    assert.match(stderr, /npm start/);
  });
});
