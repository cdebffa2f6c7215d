/** Parts shared by the list of requests and the page of one. */

import operations from 'virtual:operations';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { loanPath, read } from '../../api.ts';
import { shortHash, words } from '../../format.ts';
import { Badge, type Tone } from '../../parts/basics.tsx';
import { formOf } from '../../parts/operation/form.ts';
import type { Request } from './requests.ts';

/** Somebody with one of these sees requests: of loans, or of operations on no loan. */
export const READERS = operations.find(({ id }) => id === 'listApprovals')?.scopes ?? [];

/** A request names its operation by its path; on no loan by its name in the audit trail. */
export const operationOf = (name: string) =>
  operations.find((one) => one.method === 'POST' && one.path === name) ??
  operations.find((one) => one.method === 'POST' && nameOf(one.id) === name);

/** `inviteUser` → `invite-user`. */
const nameOf = (id: string) => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export function operationTitle(path: string): string {
  const operation = operationOf(path);
  return operation === undefined ? words(path) : formOf(operation).title;
}

const STATES: Record<Request['state'], { tone: Tone; text: string }> = {
  pending: { tone: 'info', text: 'Waiting' },
  approved: { tone: 'good', text: 'Approved' },
  rejected: { tone: 'bad', text: 'Rejected' },
  lapsed: { tone: 'neutral', text: 'Lapsed' },
};

export function State({ state }: { state: Request['state'] }) {
  const { tone, text } = STATES[state];
  return <Badge tone={tone}>{text}</Badge>;
}

/** The loan by the name that people know, as soon as it is read. */
export function LoanLink({ loanId, tabIndex }: { loanId: string | null; tabIndex?: number }) {
  return loanId === null ? <span className="quiet">None</span> : <OneLoan {...{ loanId, tabIndex }} />;
}

function OneLoan({ loanId, tabIndex }: { loanId: string; tabIndex: number | undefined }) {
  const summary = useQuery(read('readSummary', loanPath(loanId)));
  return (
    <Link to="/loans/$loanId" params={{ loanId }} title={loanId} tabIndex={tabIndex}>
      {summary.data?.data.loanDetails.applicationId ?? shortHash(loanId)}
    </Link>
  );
}
