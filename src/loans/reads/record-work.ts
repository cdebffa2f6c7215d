/** The decision in a record that is open already, as work for a thread: a record may have 10 MiB. Errors quote nothing. */
import { type DecisionTexts, decisionTexts, type ExplainedDecision } from '../../boarding/decided-record.ts';

/** The texts that a decision changes in a record that is open already. */
export function decisionTextsOf({
  record,
  shown,
}: {
  readonly record: Uint8Array;
  readonly shown: ExplainedDecision;
}): DecisionTexts {
  return decisionTexts(Buffer.from(record.buffer, record.byteOffset, record.length), shown);
}
