/** Texts of records, taken apart and put together: what an underwriting run made takes the place of what was empty. */
import type { Compose } from '../loans/loans.ts';
import { membersAt, readHandedOver } from './handed-over.ts';
import { Reader } from './wire.ts';

export const compose: Compose = {
  requestOf: (record) => memberText(record, 'Request'),
  replace({ record, publicPart }, { Response, Underwriting }) {
    const source = `{"Request":${memberText(record, 'Request')},"Response":${Response},"Underwriting":${Underwriting}}`;
    const read = new Reader();
    const whole = readHandedOver(read, source, membersAt(source, { start: 0, end: source.length }));
    read.done();
    return {
      record: whole.record,
      publicPart: `"loanInfo":${memberText(publicPart, 'loanInfo')},"Underwriting":${whole.publicUnderwriting}`,
    };
  },
};

/** The text of one of several members that stand beside each other: `"Request":{…},"Response":{…}`. */
function memberText(members: string, name: string): string {
  const source = `{${members}}`;
  const span = membersAt(source, { start: 0, end: source.length }).get(name);
  if (span === undefined) throw new Error(`A stored part has no ${name}.`);
  return source.slice(span.start, span.end);
}
