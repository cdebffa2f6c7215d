/** The documents of the project, and their parts: tables, and code blocks. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

export const read = (path: string) => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');

/** By path, in the order of their names. */
export const documents = new Map(
  globSync(['*.md', 'docs/**/*.md'], { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => [path, read(path)]),
);

export function documentAt(path: string): string {
  const text = documents.get(path);
  if (text === undefined) throw new Error(`There is no ${path}.`);
  return text;
}

/** The cells of every table row of a section (of the second or third level), or of the whole text. */
export function rows(text: string, heading?: string): string[][] {
  return [...section(text, heading).matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | '));
}

function section(text: string, heading?: string): string {
  if (heading === undefined) return text;
  const [, after = ''] = text.split(new RegExp(`^###? ${heading.replace(/[^\w ]/g, '\\$&')}\n`, 'm'));
  return after.split(/^##/m)[0] ?? '';
}

/** The words in backticks that begin a row, in order. */
export const named = (cells: string[][], column = 0) =>
  cells.flatMap((row) => /^`([^`]+)`$/.exec(row[column] ?? '')?.[1] ?? []);

export type Block = { path: string; language: string; code: string };

/** The fenced code blocks of a document, in order. */
export function blocksOf(path: string): Block[] {
  return [...documentAt(path).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => ({
    path,
    language,
    code,
  }));
}

export const isShell = ({ language }: Block) => ['sh', 'bash', 'shell', 'console'].includes(language);
