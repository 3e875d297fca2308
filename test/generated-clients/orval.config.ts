import { defineConfig } from 'orval';

const input = process.env.OPENAPI_FILE ?? 'openapi.json';

export default defineConfig({
  fetch: { input, output: { target: 'out/orval/fetch.ts', client: 'fetch', mode: 'single' } },
  zod: { input, output: { target: 'out/orval/zod.ts', client: 'zod', mode: 'single' } },
});
