/** The pages, built into `dist/` and served by the service under `/pages/`. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { events } from './events.ts';
import { operations } from './operations.ts';

export default defineConfig({
  root: import.meta.dirname,
  base: '/pages/',
  plugins: [react(), fontByName(), operations(), events()],
  resolve: { conditions: ['daybook-source', 'module', 'browser', 'production'] },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsDir: 'web',
    // Nothing inline: the content security policy forbids it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2024',
    reportCompressedSize: false,
    rolldownOptions: {
      input: { console: `${import.meta.dirname}/index.html`, market: `${import.meta.dirname}/market.html` },
    },
  },
});

/** The font under a name that stays, for the pages that are not built: signing in and the playground. */
function fontByName() {
  const file = createRequire(import.meta.url).resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2');
  return {
    name: 'font-by-name',
    generateBundle(this: { emitFile: (file: { type: 'asset'; fileName: string; source: Uint8Array }) => string }) {
      this.emitFile({ type: 'asset', fileName: 'inter.woff2', source: readFileSync(file) });
    },
  };
}
