#!/usr/bin/env bash
# prom-client 15.1.3: one reading of a registry in OpenMetrics renames its counters for good. Every later reading in Prometheus' own format
# lacks their `_total`, so that a dashboard which worked shows nothing once another scraper has asked for OpenMetrics.
# Expected by a user of both formats: `requests_total` before and after. Exits 1 if that is so.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-fund --no-audit prom-client@15.1.3
cat > read.cjs <<'JS'
const { Counter, Registry } = require('prom-client');
const { version } = require('prom-client/package.json');
(async () => {
  const registry = new Registry();
  new Counter({ name: 'requests_total', help: 'Requests.', registers: [registry] }).inc();
  const sample = async (contentType) => {
    registry.setContentType(contentType);
    return (await registry.metrics()).split('\n').find((line) => line.startsWith('requests'));
  };
  const before = await sample(Registry.PROMETHEUS_CONTENT_TYPE);
  const open = await sample(Registry.OPENMETRICS_CONTENT_TYPE);
  const after = await sample(Registry.PROMETHEUS_CONTENT_TYPE);
  console.log(`prom-client ${version}`);
  console.log(`Prometheus format before: ${before}\nOpenMetrics: ${open}\nPrometheus format after: ${after}`);
  process.exit(before === 'requests_total 1' && after === 'requests 1' ? 0 : 1);
})();
JS
node read.cjs
