/** Makes `Temporal` available on Node 24, which has none of its own and serves where Node 26 does not start (`scripts/packages.mjs`). */
if (!('Temporal' in globalThis)) await import('temporal-polyfill/global');
