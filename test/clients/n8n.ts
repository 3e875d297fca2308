import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startCallbackReceiver } from '../api/webhooks/callback-receiver.ts';
import { useGateway, useTenant } from '../harness/fixtures.ts';
import { admin, sendsTo, until, writtenRecipient } from '../harness/tenant.ts';
import { SAMPLES } from '../support/media-samples.ts';
import { atGateway, requireClient } from './load-client.ts';

// biome-ignore lint/suspicious/noExplicitAny: the client's types are not installed where this is checked
type Anything = any;

const LOCAL = 'http://localhost/';
const NODES = 'n8n-nodes-base/dist/nodes/WhatsApp';
const APP = '1234567890123456';

describe("n8n's WhatsApp nodes, run by n8n's own engine, their host replaced by the gateway's", () => {
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.0/8'] });
  const tenant = useTenant(gateway);
  const folder = mkdtempSync(join(tmpdir(), 'n8n-'));
  after(() => rmSync(folder, { recursive: true }));
  let engine: Anything;
  let workflowParts: Anything;
  let action: Anything;
  let trigger: Anything;
  let to: string;
  before(async () => {
    // The engine stores a key of its own in this folder.
    process.env.N8N_USER_FOLDER = folder;
    process.env.N8N_ENCRYPTION_KEY = 'test';
    engine = requireClient('n8n-core');
    workflowParts = requireClient('n8n-workflow');
    action = new (requireClient<Anything>(`${NODES}/WhatsApp.node.js`).WhatsApp)();
    trigger = new (requireClient<Anything>(`${NODES}/WhatsAppTrigger.node.js`).WhatsAppTrigger)();
    const { requestDefaults } = action.description;
    requestDefaults.baseURL = atGateway(requestDefaults.baseURL, gateway.baseUrl);
    await admin(gateway, 'PATCH', `/organizations/${tenant.organizationId}`, { to_without_plus: true });
    to = await writtenRecipient(gateway, tenant);
  });

  const credentialsHelper = {
    getCredentialsProperties: () => [],
    isCredentialUsableByNode: () => true,
    getParentTypes: () => [],
    getDecrypted: async () => ({ accessToken: tenant.apiKey, businessAccountId: tenant.wabaId }),
    preAuthentication: async () => undefined,
    authenticate: async ({ accessToken }: Anything, _name: string, options: Anything) => ({
      ...options,
      headers: { ...options.headers, Authorization: `Bearer ${accessToken}` },
    }),
  };

  /** Returns the context in which the engine runs the node once, with one item. */
  function contextOf(parameters: object, item: object = { json: {} }): Anything {
    const node = {
      ...{ id: '1', name: 'WhatsApp', type: 'n8n-nodes-base.whatsApp', typeVersion: 1.1, position: [0, 0], parameters },
      credentials: { whatsAppApi: { id: '1', name: 'key' } },
    };
    const nodeTypes = { getByName: () => action, getByNameAndVersion: () => action };
    const plan = { id: '1', nodes: [node], connections: {}, active: false, nodeTypes, settings: {} };
    const workflow = new workflowParts.Workflow(plan);
    const data = { main: [[item]] };
    const own = workflow.getNode('WhatsApp');
    const execution = workflowParts.createRunExecutionData();
    const addresses = {
      restApiUrl: LOCAL,
      instanceBaseUrl: LOCAL,
      webhookWaitingBaseUrl: LOCAL,
      formWaitingBaseUrl: LOCAL,
    };
    const additional = { credentialsHelper, variables: {}, ...addresses };
    const task = { node: own, data, source: null };
    return new engine.ExecuteContext(workflow, own, additional, 'manual', execution, 0, [item], data, task, []);
  }

  /** Runs the node and returns the JSON of its items. */
  async function run(parameters: object, item?: object): Promise<Anything[]> {
    const [items] = await new engine.RoutingNode(contextOf(parameters, item), action).runNode();
    return items.map(({ json }: Anything) => json);
  }

  const message = (more: object) => ({
    ...{ resource: 'message', operation: 'send', phoneNumberId: tenant.phoneNumberId, recipientPhoneNumber: to },
    ...{ messagingProduct: 'whatsapp', additionalFields: {} },
    ...more,
  });
  const sent = (text: string) =>
    until(`${text} is at the platform`, () => sendsTo(gateway, to).find((one) => one.body.includes(text)));

  it('text, location, image by its address: an id as the item, the body at the platform', async () => {
    const link = 'https://example.com/a.png';
    for (const [more, text] of [
      [{ messageType: 'text', textBody: 'Your table is ready.' }, 'Your table is ready.'],
      [{ messageType: 'location', longitude: 2, latitude: 1 }, '"location"'],
      [{ messageType: 'image', mediaPath: 'useMediaLink', mediaLink: link }, link],
    ] as const) {
      const [item] = await run(message(more));
      assert.ok(item.messages[0].id, text);
      assert.equal(JSON.parse((await sent(text)).body.toString()).to, to.slice(1));
    }
  });

  it('a template with its parameters: the body at the platform', async () => {
    const parameter = [{ type: 'text', text: 'A-1042' }];
    const components = { component: [{ type: 'body', bodyParameters: { parameter } }] };
    const [item] = await run(message({ operation: 'sendTemplate', template: 'order_update|en_US', components }));
    assert.ok(item.messages[0].id);
    const { template } = JSON.parse((await sent('A-1042')).body.toString());
    assert.deepEqual(template, {
      name: 'order_update',
      language: { code: 'en_US' },
      components: [{ type: 'body', parameters: parameter }],
    });
  });

  it('a file of an item: uploaded and sent by its id; uploaded, read and deleted alone', async () => {
    const data = SAMPLES['image/png'].toString('base64');
    const item = { json: {}, binary: { data: { data, mimeType: 'image/png', fileName: 'a.png' } } };
    const image = { messageType: 'image', mediaPath: 'useMedian8n', mediaPropertyName: 'data' };
    const [answer] = await run(message(image), item);
    assert.ok(answer.messages[0].id);
    await until('the image is at the platform', () =>
      sendsTo(gateway, to).find((one) => /"image":\{"id":"\d+"/.test(one.body.toString())),
    );
    const media = { resource: 'media', additionalFields: {} };
    const upload = { operation: 'mediaUpload', phoneNumberId: tenant.phoneNumberId, mediaPropertyName: 'data' };
    const [{ id }] = (await run({ ...media, ...upload }, item)) as [Anything];
    const [read] = await run({ ...media, operation: 'mediaUrlGet', mediaGetId: id });
    assert.partialDeepStrictEqual(read, { id, mime_type: 'image/png' });
    assert.deepEqual(await run({ ...media, operation: 'mediaDelete', mediaDeleteId: id }), [{ success: true }]);
  });

  it('a refusal: an error of the node', async () => {
    await assert.rejects(run(message({ recipientPhoneNumber: '12', messageType: 'text', textBody: 'x' })), {
      name: 'NodeApiError',
    });
  });

  it('the trigger: subscribes, gets verified deliveries, ends its subscription', async () => {
    const nodeId = randomUUID();
    await using receiver = await startCallbackReceiver(nodeId);
    const { helpers } = contextOf({});
    const request = (options: Anything) =>
      helpers.httpRequest({ ...options, url: atGateway(options.url, gateway.baseUrl) });
    const context: Anything = {
      getNode: () => ({ id: nodeId, name: 'WhatsApp Trigger', type: 'whatsAppTrigger' }),
      getNodeWebhookUrl: () => receiver.url,
      getNodeParameter: (name: string) => (name === 'updates' ? ['messages'] : {}),
      getCredentials: async () => ({ clientId: APP, clientSecret: tenant.apiKey }),
      helpers: { ...helpers, httpRequest: request },
    };
    const { checkExists, create, delete: end } = trigger.webhookMethods.default;
    assert.equal(await checkExists.call(context), false);
    assert.equal(await create.call(context), true);
    assert.equal(await checkExists.call(context), true);
    const { wamid } = await gateway.simulator.world.inbound({ phoneNumberId: tenant.phoneNumberId, from: to });
    const delivery = await until('the message arrives', () =>
      receiver.received.find(({ body }) => body.includes(wamid)),
    );
    const receive = (signature: unknown) =>
      trigger.webhook.call({
        ...context,
        getWebhookName: () => 'default',
        getBodyData: () => delivery.json,
        getQueryData: () => ({}),
        getResponseObject: () => ({}),
        getRequestObject: () => ({ rawBody: Buffer.from(delivery.body) }),
        getHeaderData: () => ({ 'x-hub-signature-256': signature }),
      });
    const { workflowData } = await receive(delivery.headers['x-hub-signature-256']);
    assert.equal(workflowData[0][0].json.messages[0].id, wamid);
    const forged = createHmac('sha256', 'another').update(delivery.body).digest('hex');
    assert.deepEqual(await receive(`sha256=${forged}`), {});
    assert.equal(await end.call(context), true);
    assert.equal(await checkExists.call(context), false);
  });
});
