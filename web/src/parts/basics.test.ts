import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Status } from './basics.tsx';

it.each([
  [0, 'Current'],
  [1, 'Current · 1 day'],
  ['1', 'Current · 1 day'],
  ['40', 'Current · 40 days'],
])('a status says how late: %s', (days, text) => {
  expect(renderToStaticMarkup(createElement(Status, { status: 'Current', days }))).toContain(`>${text}<`);
});
