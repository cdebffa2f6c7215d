/** Contents of the drawer. Loaded with the list of operations when it is first opened. */
import operations from 'virtual:operations';
import { Empty } from '../states.tsx';
import { ChooseLoan } from './choose-loan.tsx';
import type { DrawerRequest, Holds } from './drawer-request.ts';
import { formOf, isOfLoan } from './form.ts';
import { Read } from './read.tsx';
import { Write } from './write.tsx';
import './operation.css';

export default function Panel(props: {
  request: DrawerRequest;
  openRequest: (request: DrawerRequest) => void;
  close: () => void;
  hold: (what: Holds) => void;
}) {
  const { request, openRequest, close, hold } = props;
  const operation = operations.find(({ id }) => id === request.operation);
  if (operation === undefined) return <Empty title="There is no such operation" />;
  if (isOfLoan(operation) && request.loanId === undefined) {
    return <ChooseLoan choose={(loanId) => openRequest({ ...request, loanId })} />;
  }
  const go = (other: typeof operation, initial: Readonly<Record<string, unknown>> = {}) => {
    const { loanId, onDone } = request;
    const title = formOf(other).title;
    openRequest({
      operation: other.id as DrawerRequest['operation'],
      title,
      initial,
      ...(loanId && { loanId }),
      ...(onDone && { onDone }),
    });
  };
  const Kind = operation.method === 'GET' ? Read : Write;
  return <Kind {...{ operation, operations, request, go, close, hold }} />;
}
