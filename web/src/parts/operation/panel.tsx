/** What is in the drawer. Loaded when something is opened first, with the list of operations. */
import operations from 'virtual:operations';
import { Empty } from '../states.tsx';
import type { Asked, Holds } from './asked.ts';
import { ChooseLoan } from './choose-loan.tsx';
import { formOf, isOfLoan } from './form.ts';
import { Read } from './read.tsx';
import { Write } from './write.tsx';
import './operation.css';

export default function Panel(props: {
  asked: Asked;
  ask: (asked: Asked) => void;
  close: () => void;
  hold: (what: Holds) => void;
}) {
  const { asked, ask, close, hold } = props;
  const operation = operations.find(({ id }) => id === asked.operation);
  if (operation === undefined) return <Empty title="There is no such operation" />;
  if (isOfLoan(operation) && asked.loanId === undefined) {
    return <ChooseLoan choose={(loanId) => ask({ ...asked, loanId })} />;
  }
  const go = (other: typeof operation, initial: Readonly<Record<string, unknown>> = {}) => {
    const { loanId, onDone } = asked;
    const title = formOf(other).title;
    ask({
      operation: other.id as Asked['operation'],
      title,
      initial,
      ...(loanId && { loanId }),
      ...(onDone && { onDone }),
    });
  };
  const Kind = operation.method === 'GET' ? Read : Write;
  return <Kind {...{ operation, operations, asked, go, close, hold }} />;
}
