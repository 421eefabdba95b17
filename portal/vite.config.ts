import path from 'node:path';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import { defineConfig } from 'vite';
import { forBrowsers } from './for-browsers.ts';

const root = import.meta.dirname;
/** The gateway that `npm run portal` stands before. */
const gateway = process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:4000';

// eslint-disable-next-line no-restricted-syntax -- Vite takes the default export.
export default defineConfig({
  root,
  base: '/portal/',
  cacheDir: path.join(root, '..', 'node_modules', '.cache', 'vite'),
  plugins: [
    forBrowsers(),
    { ...optimizeLocales.vite({ locales: ['en-US', 'en-GB', 'fr-FR'] }), enforce: 'pre' },
  ],
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    outDir: path.join(root, '..', 'dist', 'portal', 'public'),
    emptyOutDir: true,
    target: 'es2023',
    // Each has light-dark(), which follows the color scheme that a person chooses. Without this it is compiled to a media
    // query, which follows the system alone.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
    reportCompressedSize: false,
    manifest: 'manifest.json',
    rolldownOptions: {
      checks: { pluginTimings: false },
      // Directives of server components mean nothing to a page without a server.
      onwarn: (warning, warn) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  worker: { format: 'es', plugins: () => [forBrowsers()] },
  // Everything but the page itself comes from a running gateway, under its own origin check.
  server: {
    port: 4010,
    proxy: Object.fromEntries(
      ['/graphql', '/auth', '/api', '/v1'].map((prefix) => [
        prefix,
        { target: gateway, ws: prefix === '/graphql', headers: { origin: new URL(gateway).origin } },
      ]),
    ),
  },
});
