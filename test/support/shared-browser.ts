/**
 * One browser for all test files of a worker, started by the first that needs it. Nobody closes it: it listens on a pipe of the worker, and
 * ends when that does, however the tests end. Its profile is in the folder of the tests' server, which is removed after them.
 */
import { dirname } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { inject } from 'vitest';
import { launch } from './browser.ts';
import type {} from './data-dir.ts';

/** The browser as a test file has it: `close` closes the contexts that the file has opened and not closed. */
export type SharedBrowser = Pick<Browser, 'newContext' | 'close'>;

let started: Promise<Browser> | undefined;

export async function openBrowser(): Promise<SharedBrowser> {
  started ??= inTestFolder(launch);
  const browser = await started;
  const opened = new Set<BrowserContext>();
  return {
    async newContext(options) {
      const context = await browser.newContext(options);
      opened.add(context.on('close', () => opened.delete(context)));
      return context;
    },
    async close() {
      await Promise.all([...opened].map((context) => context.close()));
    },
  };
}

/** Playwright removes a profile when it closes the browser itself; this one is left to whoever removes the folder. */
async function inTestFolder<T>(work: () => Promise<T>): Promise<T> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = dirname(inject('dataDir'));
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}
