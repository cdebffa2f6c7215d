/** Whether the result of a command can be written, found out before the minutes or hours that its work takes. Nothing is created. */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from './arguments.ts';

/** Its folder must exist. */
export function expectWritableFile(option: string, path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw notWritable(option, path, 'EISDIR');
  expectAccess(option, path, found === undefined ? dirname(resolve(path)) : path);
}

/** It may be missing, with the folders above it. */
export function expectWritableFolder(option: string, path: string): void {
  let nearest = resolve(path);
  let found = statSync(nearest, { throwIfNoEntry: false });
  while (found === undefined && nearest !== dirname(nearest)) {
    nearest = dirname(nearest);
    found = statSync(nearest, { throwIfNoEntry: false });
  }
  if (!found?.isDirectory()) throw notWritable(option, path, 'ENOTDIR');
  expectAccess(option, path, nearest);
}

export function notWritable(option: string, path: string, code: string | undefined): UsageError {
  return new UsageError(`${option}: ${path} cannot be written (${code}).`);
}

function expectAccess(option: string, path: string, at: string): void {
  try {
    accessSync(at, constants.W_OK);
  } catch (error) {
    throw notWritable(option, path, (error as NodeJS.ErrnoException).code);
  }
}
