import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Address of the gateway that `npm run dev -w console` passes calls on to. */
const GATEWAY = process.env.FAIRWAY_URL ?? 'http://127.0.0.1:8080';

export default defineConfig(({ command }) => ({
  // A build finds its files from the address of the page, because a proxy may serve the gateway below a path of its own.
  base: command === 'build' ? './' : '/console/',
  plugins: [react()],
  build: {
    target: 'es2023',
    // Inlined assets would need `data:` in more places of the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // React and Mantine: 210 KB compressed. The size test holds the limit.
    chunkSizeWarningLimit: 800,
  },
  server: {
    proxy: {
      '/console/session': GATEWAY,
      '/console/oidc': GATEWAY,
      '/console/simulator': GATEWAY,
      '^/(v1|admin|docs|openapi.json|readyz)': GATEWAY,
    },
  },
}));
