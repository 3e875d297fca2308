#!/usr/bin/env bash
# @builderbot/provider-meta 1.2.2: its webhook answers 400 to a payload with the status `failed`, after it has read it. The sender of the webhook
# repeats such a delivery for days, and may disable the endpoint. Expected: 200. Exits 1 unless it answers 400.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-fund --no-audit @builderbot/bot@1.3.13 @builderbot/provider-meta@1.2.2
cat > receive.cjs <<'JS'
const { MetaProvider } = require('@builderbot/provider-meta');

const provider = new MetaProvider({ jwtToken: 'key', numberId: '1', verifyToken: 'own', version: 'v24.0' });
provider.initVendor().then(async (vendor) => {
  const statusOf = async (status) => {
    const statuses = [{ id: 'wamid.1', status, timestamp: '1', recipient_id: '12025550123' }];
    const body = { object: 'whatsapp_business_account', entry: [{ changes: [{ field: 'messages', value: { statuses } }] }] };
    const response = {
      statusCode: 0,
      writeHead(code) {
        this.statusCode = code;
      },
      end() {},
    };
    await vendor.incomingMsg({ body, globalVendorArgs: { jwtToken: 'key', numberId: '1', version: 'v24.0' } }, response);
    return response.statusCode;
  };
  const [delivered, failed] = [await statusOf('delivered'), await statusOf('failed')];
  console.log(`delivered: ${delivered}\nfailed: ${failed}`);
  process.exit(delivered === 200 && failed === 400 ? 0 : 1);
});
JS
node receive.cjs
