import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { advice, countName, stepOf } from './steps.ts';

it('has words for every step of the contract', () => {
  const { components } = JSON.parse(readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8'));
  const steps: string[] = components.schemas.CycleStep.properties.step.enum;
  expect(steps.length).toBeGreaterThan(5);
  expect(steps.filter((step) => stepOf(step).does === '')).toEqual([]);
  expect(advice('positions')).toContain('The next cycle tries again');
  expect(advice('somethingNew')).toContain('operator');
});

it('names counts', () => {
  expect(['lateFees', 'bucket 30-59', 'loans'].map(countName)).toEqual(['Late fees', 'Bucket 30–59', 'Loans']);
});
