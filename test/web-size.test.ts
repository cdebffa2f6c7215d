/** The files that a browser loads before the first page of the console can be used. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const DIST = join(import.meta.dirname, '..', 'web', 'dist');
const LIMIT = 200 * 1_024;

/** A script with everything that it imports at once. */
function scripts(entry: string): Map<string, number> {
  const found = new Map<string, number>();
  const take = (name: string) => {
    if (found.has(name)) return;
    const text = readFileSync(join(DIST, 'web', name), 'utf8');
    found.set(name, gzipSync(text).length);
    for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) take(imported);
  };
  take(entry);
  return found;
}

describe('the script of the first page', () => {
  const html = readFileSync(join(DIST, 'index.html'), 'utf8');
  const entry = /src="\/pages\/web\/([\w.-]+\.js)"/.exec(html)?.[1] ?? '';
  const loaded = scripts(entry);

  it('is under 200 KB compressed, the page itself included', () => {
    const text = [...loaded.keys()].map((name) => readFileSync(join(DIST, 'web', name), 'utf8')).join();
    expect(text).toContain('Newly late');
    const bytes = [...loaded.values()].reduce((sum, one) => sum + one, 0);
    expect(bytes, [...loaded].map(([name, size]) => `${name} ${size}`).join('\n')).toBeLessThan(LIMIT);
  });
  it('has nothing inline, and nothing of another host', () => {
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>/);
    expect(html).not.toMatch(/<style|style=|\bon\w+=/);
    expect([...html.matchAll(/(?:src|href)="([^"]*)"/g)].every(([, to = '']) => to.startsWith('/pages/'))).toBe(true);
  });
});
