/** The printed report: score and summary, the accounts with two years of payments each, the rest of the file, and how to read it. */
import { accounts, collections, inquiries, publicRecords } from './file-pages.ts';
import { factors, highlights, identity, nameOf, noFile, notices, scoreBox, summary } from './first-page.ts';
import { howToRead } from './guide.ts';
import { newPdf } from './pdf.ts';
import type { Printed } from './printed.ts';
import { sheetsOf, TOP } from './sheets.ts';

export function reportPages(printed: Printed): Uint8Array {
  const { subject, today, at, file } = printed;
  const pdf = newPdf({ title: 'Simulated credit report', createdAt: at });
  const sheets = sheetsOf(pdf.page, today);
  identity(sheets, printed);
  scoreBox(sheets, file);
  sheets.moveTo(TOP + 138);
  notices(sheets, file.flags);
  if (file.hit && !file.flags.frozen) {
    factors(sheets, file);
    summary(sheets, printed);
    highlights(sheets, file);
    accounts(sheets, printed);
    collections(sheets, printed);
    publicRecords(sheets, file, today);
    inquiries(sheets, file, today);
  } else noFile(sheets, file);
  howToRead(sheets);
  sheets.number(nameOf(subject));
  return pdf.bytes();
}
