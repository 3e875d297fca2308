#!/usr/bin/env bash
# Checks the OpenAPI file at $1 with Redocly and Spectral, and makes a client of it with each generator, into out/. Fails if one refuses it.
set -euo pipefail
cd "$(dirname "$0")"
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true DO_NOT_TRACK=1 CI=true
file=$1
rm -rf out && mkdir out
bin=node_modules/.bin
$bin/redocly lint "$file" --config redocly.yaml --format=stylish
$bin/spectral lint "$file" --ruleset spectral.js --fail-severity=warn
$bin/openapi-typescript "$file" -o out/openapi-typescript.ts
$bin/oazapfts "$file" out/oazapfts.ts
$bin/swagger-typescript-api generate -p "$file" -o out -n swagger-typescript-api.ts
$bin/openapi-ts -i "$file" -o out/hey-api -c @hey-api/client-fetch
OPENAPI_FILE=$file $bin/orval --config orval.config.ts
