#!/usr/bin/env bash
# whatsapp-api-js 6.3.0: `post` throws a TypeError for a payload about an account or a template, because it reads `metadata` of every payload
# before it looks at the field. Most handlers then answer 500, and the delivery is repeated. Expected: the error for unexpected payloads, which
# has the status 200. Of a payload with several messages it reads the first one. Exits 1 unless both are so.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-fund --no-audit whatsapp-api-js@6.3.0
cat > receive.mjs <<'JS'
import { WhatsAppAPI } from 'whatsapp-api-js';

const client = new WhatsAppAPI({ token: 'key', v: 'v24.0', secure: false });
const payload = (field, value) => ({ object: 'whatsapp_business_account', entry: [{ changes: [{ field, value }] }] });
const error = await client.post(payload('message_template_status_update', { event: 'APPROVED' })).catch((thrown) => thrown);
console.log(`a template's status: ${error.name}: ${error.message}`);
const seen = [];
client.on.message = ({ message }) => seen.push(message.id);
const messages = ['one', 'two'].map((id) => ({ id, from: '12025550123', type: 'text', text: { body: id } }));
await client.post(payload('messages', { metadata: { phone_number_id: '1' }, messages }));
console.log(`two messages: ${seen.join(', ')}`);
process.exit(error instanceof TypeError && seen.join() === 'one' ? 0 : 1);
JS
node receive.mjs
