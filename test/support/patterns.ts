/**
 * Finds every regular expression of a source tree and of a set of JSON schemas, and proves for each that the time it takes
 * grows no faster than the text. The proof is recheck's, on the automaton of the pattern, in JavaScript alone; what it cannot
 * prove (look-around, back references, counts in the thousands) has to be written in another way.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { checkSync } from 'recheck';
// The package's main file would look for a native program first; this one is all there is to the analysis.
// @ts-expect-error The file has no types of its own.
import recheck from 'recheck/lib/browser.js';
import { parseSync } from 'vite';

export type Pattern = { where: string; source: string; flags: string };

/** The literals of a file, and the patterns that it makes from text. One that is made from other than a literal is a complaint. */
export function patternsIn(path: string, text: string): { patterns: Pattern[]; complaints: string[] } {
  const { program, errors } = parseSync(path, text);
  if (errors[0]) return { patterns: [], complaints: [`${path}: cannot be parsed (${errors[0].message})`] };
  const patterns: Pattern[] = [];
  const complaints: string[] = [];
  const at = ({ start }: Node) => `${path}:${text.slice(0, start).split('\n').length}`;
  walk(program as unknown as Node, (node) => {
    const { regex } = node as { regex?: { pattern: string; flags: string } };
    if (node.type === 'Literal' && regex) patterns.push({ where: at(node), source: regex.pattern, flags: regex.flags });
    if (!/^(New|Call)Expression$/.test(node.type) || (node.callee as Node).name !== 'RegExp') return;
    const [source, flags] = (node.arguments as Node[]).map((argument) => argument.value);
    if (typeof source === 'string') patterns.push({ where: at(node), source, flags: String(flags ?? '') });
    else complaints.push(`${at(node)}: a pattern made from a value, which cannot be checked`);
  });
  return { patterns, complaints };
}

/** Every `pattern` and every name of `patternProperties` in a schema; Ajv compiles them with the flag u. */
export function patternsOfSchema(where: string, schema: unknown): Pattern[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) => {
    const inside = patternsOfSchema(`${where}/${name}`, value);
    if (name === 'pattern' && typeof value === 'string')
      return [{ where: `${where}/${name}`, source: value, flags: 'u' }];
    if (name !== 'patternProperties' || typeof value !== 'object' || value === null) return inside;
    return [...Object.keys(value).map((source) => ({ where: `${where}/${name}`, source, flags: 'u' })), ...inside];
  });
}

/** The fault of the pattern; null when its time grows with the length of the text and no faster. */
export function slowness({ where, source, flags }: Pattern): string | null {
  const key = `/${source}/${flags}`;
  let found = judged.get(key);
  if (found === undefined && (proven.has(key) || !repeats(source))) found = '';
  if (found === undefined) {
    const answer = (recheck.checkSync as typeof checkSync)(source, flags, { checker: 'automaton', timeout: 20_000 });
    found =
      answer.status === 'safe'
        ? ''
        : answer.status === 'vulnerable'
          ? `takes ${answer.complexity.summary} time, for instance with ${answer.attack.pattern}`
          : `cannot be proven fast (${'message' in answer.error ? answer.error.message : answer.error.kind})`;
    judged.set(key, found);
    if (found === '') remember(key);
  }
  return found === '' ? null : `${where}: ${key} ${found}`;
}

const judged = new Map<string, string>();

// Proofs take some seconds altogether, and a pattern seldom changes: the proven ones are remembered beside the compiled modules.
const PROVEN = join(import.meta.dirname, '../../node_modules/.cache/patterns-proven-by-recheck-4.5.0.json');
const proven = new Set<string>(existsSync(PROVEN) ? (JSON.parse(readFileSync(PROVEN, 'utf8')) as string[]) : []);

function remember(key: string): void {
  proven.add(key);
  mkdirSync(dirname(PROVEN), { recursive: true });
  // In one step: another run may read it at this moment.
  writeFileSync(`${PROVEN}.${process.pid}`, JSON.stringify([...proven]));
  renameSync(`${PROVEN}.${process.pid}`, PROVEN);
}

/** Whether anything in it repeats without end. What does not takes a bounded time at each place of the text. */
function repeats(source: string): boolean {
  const bare = source.replaceAll(/\\./g, '').replaceAll(/\[[^\]]*\]/g, '');
  return /[*+]|\{\d+,\}|\(\?[=!<]/.test(bare);
}

type Node = { type: string; start: number; [key: string]: unknown };

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === 'object' && child !== null && typeof child.type === 'string') walk(child as Node, visit);
    }
  }
}
