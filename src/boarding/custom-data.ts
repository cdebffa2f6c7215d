/** Custom data that comes with a new loan. */
import { type CustomMembers, checkCustomMembers } from '../core/custom-data.ts';
import type { Reader } from '../core/reader.ts';
import { memberSpans, scalarText } from './json-source.ts';

/** `customData` of a creation, which was checked against its schema. As everywhere in a creation, `""` and null are members that are not given. */
export function readCustomData(read: Reader, source: string, at: number | undefined): CustomMembers {
  if (at === undefined || !source.startsWith('{', at)) return [];
  const given = new Map(memberSpans(source, at).map((member) => [member.name, scalarText(source, member) ?? '']));
  const members = [...given].filter(([, text]) => text !== '');
  checkCustomMembers(read, members, '/customData');
  return members;
}
