import { describe, expect, test } from 'vitest';
import { readPdf } from '../../../../test/support/pdf-text.ts';
import { newPdf } from './pdf.ts';
import { fitted, textWidth, wrapped } from './typeface.ts';

const DETAILS = { title: 'A (small) title', createdAt: '2026-01-15T10:30:00.000-06:00' };
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

function written(draw: (page: ReturnType<ReturnType<typeof newPdf>['page']>) => void): Uint8Array {
  const pdf = newPdf(DETAILS);
  draw(pdf.page());
  return pdf.bytes();
}

test('readers find every object where the table says it is, and every stream as long as it says', () => {
  const pdf = newPdf(DETAILS);
  for (let i = 0; i < 3; i++) pdf.page().text(72, 72, `Page ${i} with € – “signs”`);
  const bytes = pdf.bytes();
  const { pages, objects } = readPdf(bytes);
  expect(latin1(bytes).slice(0, 9)).toBe('%PDF-1.4\n');
  expect(pages).toEqual([0, 1, 2].map((i) => [`Page ${i} with € – “signs”`]));
  expect([...objects.values()].filter((object) => object.includes('/FontFile2'))).toHaveLength(2);
  expect(latin1(bytes)).toContain('/Count 3');
});

test('a page can be written to after later pages have begun', () => {
  const pdf = newPdf(DETAILS);
  const pages = [pdf.page(), pdf.page()];
  pages.forEach((page, i) => {
    page.text(72, 72, `שלום ${i}`);
    page.text(72, 90, `after ${i}`);
  });
  expect(readPdf(pdf.bytes()).pages.map((texts) => texts.at(-1))).toEqual(['after 0', 'after 1']);
});

test('a title with brackets is escaped, and its date and its id are those of the report', () => {
  const file = latin1(written(() => {}));
  expect(file).toContain('(A \\(small\\) title)');
  expect(file).toContain('(D:20260115163000Z)');
  expect(latin1(written(() => {}))).toBe(file);
});

describe('text', () => {
  test.each([
    ['brackets and strokes', 'a (b) \\ c'],
    ['letters with accents', 'José Müller'],
    ['quotation marks, dashes and the euro', '“a” – €'],
    ['Polish and Turkish letters', 'Łódź Şahin'],
    ['Greek and Cyrillic', 'Ωμέγα Щука'],
    ['Vietnamese', 'Nguyễn Thị Đặng'],
    ['a letter and its accent as two characters become one', 'e\u0301', 'é'],
    ['line breaks become spaces', 'a\nb\tc', 'a b c'],
    ['a character missing from the font is a box', '王 a', '\0 a'],
    ['half of a character is a box', 'a\ud83d', 'a\ufffd'],
  ])('%s', (_, text, shown = text) => {
    expect(readPdf(written((page) => page.text(10, 10, text))).pages).toEqual([[shown]]);
  });

  test('in scripts that are shaped', () => {
    const [texts] = readPdf(written((page) => page.text(10, 10, 'דוד'))).pages;
    expect([...(texts?.[0] ?? '')].sort()).toEqual([...'דוד'].sort());
  });

  test('is placed from the upper left, and on either side of its place', () => {
    const width = textWidth('Hello', 10);
    expect(width).toBeCloseTo(22.81, 2);
    const placed = (align: 'left' | 'right' | 'center') =>
      latin1(written((page) => page.text(100, 92, 'Hello', { size: 10, align })));
    const at = (x: number) => ` 10 Tf 1 0 0 -1 ${Math.round(x * 10) / 10} 92 Tm`;
    expect(placed('left')).toContain(at(100));
    expect(placed('right')).toContain(at(100 - width));
    expect(placed('center')).toContain(at(100 - width / 2));
  });

  test('that is too long ends with an ellipsis, within its width', () => {
    expect(fitted('short', 100, 10)).toBe('short');
    const cut = fitted('A name that is much too long for its place', 100, 10);
    expect(cut).toMatch(/^A name that.*…$/);
    expect(textWidth(cut, 10)).toBeLessThanOrEqual(100);
  });

  test('is wrapped at spaces, and nothing of it is lost', () => {
    const text =
      'Everything else was invented from the digits alone, which-is-one-very-long-word-that-fits-nowhere indeed.';
    const lines = wrapped(text, 120, 9);
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.join(' ')).toBe(text);
    for (const line of lines) if (line.includes(' ')) expect(textWidth(line, 9)).toBeLessThanOrEqual(120);
  });
});
