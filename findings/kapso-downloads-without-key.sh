#!/usr/bin/env bash
# @kapso/whatsapp-cloud-api 0.3.0: `media.download` reads the file's address with the key, and then asks that address without it. The platform's
# own addresses need the token as well, so the download fails with 401 there, too. `auth: 'always'` sends the key.
# `templates.get` asks `/{account}/message_templates/{id}`, which is no path of the Cloud API: a template is read at `/{id}`.
# Exits 1 unless both are so.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-fund --no-audit @kapso/whatsapp-cloud-api@0.3.0
cat > ask.mjs <<'JS'
import { WhatsAppClient } from '@kapso/whatsapp-cloud-api';

const asked = [];
const fetch = async (url, { headers = {} } = {}) => {
  asked.push(`${new URL(url).pathname} ${headers.Authorization === undefined ? 'without' : 'with'} key`);
  return Response.json({ id: '1', url: 'https://files.example.com/file' });
};
const client = new WhatsAppClient({ accessToken: 'key', baseUrl: 'https://graph.example.com', graphVersion: 'v24.0', fetch });
await client.media.download({ mediaId: '1' });
await client.media.download({ mediaId: '1', auth: 'always' });
await client.templates.get({ businessAccountId: '100', templateId: '200' });
console.log(asked.join('\n'));
const expected = [
  '/v24.0/1 with key',
  '/file without key',
  '/v24.0/1 with key',
  '/file with key',
  '/v24.0/100/message_templates/200 with key',
];
process.exit(asked.join() === expected.join() ? 0 : 1);
JS
node ask.mjs
