/** Sends, polls and uploads with each generated client against a real gateway. Fails at the first answer that is not as documented. */
import createClient from 'openapi-fetch';
import { client as heyClient } from './out/hey-api/client.gen.ts';
import * as hey from './out/hey-api/sdk.gen.ts';
import * as oazapfts from './out/oazapfts.ts';
import type { paths } from './out/openapi-typescript.ts';
import * as orval from './out/orval/fetch.ts';
import { SendMessageBody } from './out/orval/zod.ts';
import { Api } from './out/swagger-typescript-api.ts';

const { BASE_URL = '', API_KEY = '', NUMBER = '', PHONE_NUMBER = '' } = process.env;
const authorization = `Bearer ${API_KEY}`;
const headers = { authorization };
let recipient = 12025550200;

function nextMessage(name: string) {
  recipient += 1;
  return {
    to: `+${recipient}`,
    type: 'template' as const,
    template: { name: 'hello_world', language: { code: 'en_US' } },
    biz_opaque_callback_data: name,
  };
}

function check(name: string, step: string, isRight: boolean, seen: unknown): void {
  if (!isRight) throw new Error(`${name}: ${step}: ${JSON.stringify(seen)}`);
}

/** A client reduced to what it is used for here. */
interface Used {
  send(body: ReturnType<typeof nextMessage>): Promise<string | undefined>;
  statusOf(id: string): Promise<string | undefined>;
  upload(file: File): Promise<string | undefined>;
}

const typed = createClient<paths>({ baseUrl: BASE_URL, headers });
const withOpenapiTypescript: Used = {
  async send(body) {
    const { data } = await typed.POST('/v1/{phoneNumberId}/messages', {
      params: { path: { phoneNumberId: NUMBER } },
      body,
    });
    return data !== undefined && 'messages' in data ? data.messages[0]?.id : undefined;
  },
  async statusOf(id) {
    return (await typed.GET('/v1/messages/{id}', { params: { path: { id } } })).data?.status;
  },
  async upload(file) {
    const { data } = await typed.POST('/v1/media/upload', {
      body: { phone_number: PHONE_NUMBER, file: '' },
      bodySerializer() {
        const form = new FormData();
        form.set('phone_number', PHONE_NUMBER);
        form.set('file', file);
        return form;
      },
    });
    return data?.media_id;
  },
};

oazapfts.defaults.baseUrl = BASE_URL;
oazapfts.defaults.headers = headers;
const withOazapfts: Used = {
  async send(body) {
    const answer = await oazapfts.sendMessage(NUMBER, body);
    return answer.status === 202 ? answer.data.messages[0]?.id : undefined;
  },
  async statusOf(id) {
    const answer = await oazapfts.getMessage(id);
    return answer.status === 200 ? answer.data.status : undefined;
  },
  async upload(file) {
    const answer = await oazapfts.uploadMedia({ phone_number: PHONE_NUMBER, file });
    return answer.status === 200 ? answer.data.media_id : undefined;
  },
};

const swagger = new Api({ baseUrl: BASE_URL, baseApiParams: { headers } });
const withSwaggerTypescriptApi: Used = {
  async send(body) {
    const { data } = await swagger.v1.sendMessage(NUMBER, body);
    return 'messages' in data ? data.messages[0]?.id : undefined;
  },
  statusOf: async (id) => (await swagger.v1.getMessage(id)).data.status,
  upload: async (file) => (await swagger.v1.uploadMedia({ phone_number: PHONE_NUMBER, file })).data.media_id,
};

heyClient.setConfig({ baseUrl: BASE_URL, headers });
const withHeyApi: Used = {
  async send(body) {
    const { data } = await hey.sendMessage({ path: { phoneNumberId: NUMBER }, body });
    return data !== undefined && 'messages' in data ? data.messages[0]?.id : undefined;
  },
  statusOf: async (id) => (await hey.getMessage({ path: { id } })).data?.status,
  upload: async (file) => (await hey.uploadMedia({ body: { phone_number: PHONE_NUMBER, file } })).data?.media_id,
};

const withOrval: Used = {
  async send(body) {
    const answer = await orval.sendMessage(NUMBER, SendMessageBody.parse(body) as typeof body, undefined, { headers });
    return answer.status === 202 ? answer.data.messages[0]?.id : undefined;
  },
  async statusOf(id) {
    const answer = await orval.getMessage(id, { headers });
    return answer.status === 200 ? answer.data.status : undefined;
  },
  async upload(file) {
    const answer = await orval.uploadMedia({ phone_number: PHONE_NUMBER, file }, { headers });
    return answer.status === 200 ? answer.data.media_id : undefined;
  },
};

// Orval's client asks the address that the file names, with no setting for another one.
const { fetch: ask } = globalThis;
globalThis.fetch = (input, init) =>
  ask(typeof input === 'string' && input.startsWith('/') ? `${BASE_URL}${input}` : input, init);

const CLIENTS: Record<string, Used> = {
  'openapi-typescript': withOpenapiTypescript,
  oazapfts: withOazapfts,
  'swagger-typescript-api': withSwaggerTypescriptApi,
  'hey-api': withHeyApi,
  orval: withOrval,
};

for (const [name, client] of Object.entries(CLIENTS)) {
  const id = await client.send(nextMessage(name));
  check(name, 'send', id !== undefined, id);
  let status: string | undefined;
  for (let look = 0; look < 100 && status !== 'read'; look += 1) {
    status = await client.statusOf(id ?? '');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  check(name, 'poll', status === 'read', status);
  const mediaId = await client.upload(new File(['Thank you'], 'receipt.txt', { type: 'text/plain' }));
  check(name, 'upload', mediaId !== undefined, mediaId);
  console.log(`${name}: sent, read, uploaded`);
}
const refused = SendMessageBody.safeParse({ ...nextMessage('zod'), to: '12025550123' });
check('orval zod', 'a recipient without +', !refused.success, refused);
const kept = SendMessageBody.parse(nextMessage('zod'));
check('orval zod', 'the object of the type', 'template' in kept && kept.template !== undefined, kept);
