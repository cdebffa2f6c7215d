import { describe, expect, test } from 'vitest';
import { CASHFLOW_COLUMNS } from '../underwriting/cashflows.ts';
import { publicCashflows } from './cashflow-columns.ts';

describe('cash flows in the public record', () => {
  test('what the service itself writes is shown as it is', () => {
    const row = CASHFLOW_COLUMNS.map((name) =>
      name === 'Type' ? 'Projected' : name === 'Date' ? '2026-01-15' : '-1234.50',
    );
    const csv = `${CASHFLOW_COLUMNS.join(',')}\n${row.join(',')}\n${row.join(',')}\n`;
    expect(publicCashflows(csv)).toBe(csv);
  });

  test.each([
    ['only known columns', 'Month,Name,Type\n1,Ann,Actual\n', 'Month,Type\n1,Actual\n'],
    ['a column of the same name once', 'Month,Month\n1,2\n', 'Month\n1\n'],
    ['nothing of an unknown table', 'Name,SSN\nAnn,666-00-0001\n', ''],
    ['nothing of a text', 'Ann owes 5', ''],
    [
      'only figures in columns of figures',
      'Month,TotalPaid\nAnn,666-00-0001\n2,12.5\n',
      'Month,TotalPaid\n,\n2,12.5\n',
    ],
    ['not nine digits alone', 'Month,TotalPaid\n1,666000001\n', 'Month,TotalPaid\n1,\n'],
    ['only dates as dates', 'Date,Type\nbirthday,Ann\n2026-01-15,Scheduled\n', 'Date,Type\n,\n2026-01-15,Scheduled\n'],
    ['no more cells than columns', 'Month,Type\n1,Actual,Ann,Bob\n2,Actual\n', 'Month,Type\n1,Actual\n2,Actual\n'],
    ['fewer cells as they are', 'Month,Type\n1\n', 'Month,Type\n1\n'],
    [
      'spaces, line ends and quotes',
      'Month, Type\r\n 1 ,"Actual"\r\n2,Projected\r\n',
      'Month,Type\n1,Actual\n2,Projected\n',
    ],
    ['separators in a quoted amount', 'Month,TotalPaid\n1,"1,234.50"\n', 'Month,TotalPaid\n1,1234.50\n'],
    ['nothing of a quoted text', 'Month,Type\n1,"Ann, ""Bob""\nEve, x"\n', 'Month,Type\n1,\n,\n'],
    ['exponents and percent signs', 'Month,DefaultProb\n1,1e-05\n2,4.5%\n', 'Month,DefaultProb\n1,1e-05\n2,4.5%\n'],
    ['a last line without its end', 'Month\n1', 'Month\n1\n'],
    ['a header alone', 'Month,Type', 'Month,Type\n'],
  ])('%s', (_, given, shown) => {
    expect(publicCashflows(given)).toBe(shown);
  });

  test.each([
    ['one column', 'Month\n', '1\n'],
    ['odd cells', 'Month,Type\n', 'x,y\n'],
    ['quotes', 'Month,Type\n', '"a,b"\n'],
    ['one long line', 'Month,Type\n', ','],
    ['an unknown column', 'Month,Name\n', '1,Ann\n'],
  ])('a long text takes a time in proportion to its length: %s', (_, header, row) => {
    const started = performance.now();
    publicCashflows(header + row.repeat(100_000));
    // Some tens of milliseconds; going through the rest of the text for every row would take minutes.
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('a text that is far too long is left out', () => {
    expect(publicCashflows(`Month\n${'1\n'.repeat(4_000_000)}`)).toBe('');
  });
});
