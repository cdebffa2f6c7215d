import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ABOUT, DEFINITIONS, type ReportName } from './definitions.ts';

type Contract = {
  components: { schemas: Record<string, { properties: Record<string, { description?: string }> }> };
};
const contract = JSON.parse(readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8')) as Contract;

it.each(Object.keys(DEFINITIONS) as ReportName[])('defines every figure of %s as the contract does', (report) => {
  const name = report.replaceAll(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
  const members = contract.components.schemas[`Portfolio${name}Row`]?.properties ?? {};
  // A page shows percentages, so it does not say that the contract has them as text.
  const described = Object.fromEntries(
    Object.entries(members).map(([key, { description }]) => [key, description?.replace(' A percentage, as text.', '')]),
  );
  expect(DEFINITIONS[report]).toEqual(described);
  expect(ABOUT[report].length).toBeGreaterThan(0);
});
