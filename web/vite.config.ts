/** The pages, built into `dist/` and served by the service under `/pages/`. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/pages/',
  plugins: [react()],
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
