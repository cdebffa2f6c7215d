import { describe, expect, test } from 'vitest';
import { fitted, newPdf, textWidth, wrapped } from './pdf.ts';

const DETAILS = { title: 'A (small) title', createdAt: '20260115103000' };
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

function written(draw: (page: ReturnType<ReturnType<typeof newPdf>['page']>) => void): string {
  const pdf = newPdf(DETAILS);
  draw(pdf.page());
  return latin1(pdf.bytes());
}

test('readers find every object where the table says it is, and every stream as long as it says', () => {
  const pdf = newPdf(DETAILS);
  for (let i = 0; i < 3; i++) pdf.page().text(72, 72, `Page ${i} with € – “signs”`);
  const file = latin1(pdf.bytes());
  expect(file.slice(0, 9)).toBe('%PDF-1.4\n');
  expect(file.endsWith('%%EOF\n')).toBe(true);
  const start = Number(/startxref\n(\d+)\n/.exec(file)?.[1]);
  const [, first, ...offsets] =
    file
      .slice(start)
      .split('trailer')[0]
      ?.split('\n')
      .filter((line) => line !== '') ?? [];
  expect(first).toBe(`0 ${offsets.length}`);
  expect(offsets[0]).toBe('0000000000 65535 f ');
  offsets.slice(1).forEach((entry, i) => {
    expect(entry).toMatch(/^\d{10} 00000 n $/);
    expect(file.slice(Number(entry.slice(0, 10))).startsWith(`${i + 1} 0 obj\n`)).toBe(true);
  });
  const streams = [...file.matchAll(/<<\/Length (\d+)>>\nstream\n/g)];
  expect(streams).toHaveLength(3);
  for (const { 0: head, 1: length, index } of streams) {
    expect(file.slice(index + head.length + Number(length)).startsWith('\nendstream')).toBe(true);
  }
  expect(file).toContain('/Count 3');
});

test('a title with brackets is escaped', () => {
  expect(written(() => {})).toContain('/Title(A \\(small\\) title)');
});

describe('text', () => {
  test.each([
    ['brackets and strokes are escaped', 'a (b) \\ c', '(a \\(b\\) \\\\ c)Tj'],
    ['letters with accents are one byte each', 'José Müller', '(José Müller)Tj'],
    ['quotation marks, dashes and the euro have their own places', '“a” – €', '(\x93a\x94 \x96 \x80)Tj'],
    ['a letter that the font has not loses its accent', 'Łódź Şahin', '(?ódz Sahin)Tj'],
    ['another script becomes question marks', '王 Ω', '(? ?)Tj'],
    ['line breaks become spaces', 'a\nb\tc', '(a b c)Tj'],
  ])('%s', (_, text, shown) => {
    expect(written((page) => page.text(10, 10, text))).toContain(shown);
  });

  test('is placed from the upper left, and on either side of its place', () => {
    const width = textWidth('Hello', 10);
    expect(width).toBeCloseTo(22.78, 2);
    expect(written((page) => page.text(100, 92, 'Hello', { size: 10 }))).toContain(' 100 700 Td');
    expect(written((page) => page.text(100, 92, 'Hello', { size: 10, align: 'right' }))).toContain(' 77.2 700 Td');
    expect(written((page) => page.text(100, 92, 'Hello', { size: 10, align: 'center' }))).toContain(' 88.6 700 Td');
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
