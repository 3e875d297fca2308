#!/usr/bin/env bash
# @stoplight/spectral-cli 6.16.3: OpenAPI 3.1 lets a security requirement of an HTTP scheme list role names; 3.0 demanded an empty array there.
# Spectral's recommended rule `oas3-operation-security-defined` still holds 3.1 documents to the rule of 3.0 and looks for the roles among OAuth
# scopes. Expected by a user of 3.1: no finding, as with @redocly/cli. Exits 1 if that is so.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-fund --no-audit --ignore-scripts @stoplight/spectral-cli@6.16.3 @redocly/cli@2.77.0
cat > api.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "Messages", "version": "1" },
  "paths": {
    "/messages": {
      "get": {
        "operationId": "listMessages",
        "security": [{ "key": ["messages:read"] }],
        "responses": { "200": { "description": "OK" } }
      }
    }
  },
  "components": { "securitySchemes": { "key": { "type": "http", "scheme": "bearer" } } }
}
JSON
echo 'extends: [[spectral:oas, off]]
rules: { oas3-operation-security-defined: true }' > rules.yaml
printf 'rules:\n  security-defined: error\n  spec: error\n' > redocly.yaml
echo "@stoplight/spectral-cli $(npx spectral --version), @redocly/cli $(npx redocly --version)"
spectral=$(npx spectral lint --ruleset rules.yaml --format json --quiet api.json || true)
echo "Spectral: $(node -p 'JSON.parse(process.argv[1]).map(({ code, message }) => `${code}: ${message}`).join("; ") || "no finding"' "$spectral")"
npx redocly lint --config redocly.yaml api.json > redocly.txt 2>&1 && echo 'Redocly: valid' || { cat redocly.txt; exit 1; }
node -e 'process.exit(JSON.parse(process.argv[1]).some(({ code }) => code === "oas3-operation-security-defined") ? 0 : 1)' "$spectral"
